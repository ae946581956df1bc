// What client.ts uses of Node, whose own types are a package of megabytes.
declare const process: { argv: string[] };
declare const Buffer: { from(text: string): { toString(encoding: "base64"): string } };
