// What is selected, from one snapshot to the next.

/** The same node, port or link in another snapshot: a node that is not there is lost; null if a port or link is not there. */
export function carryOver(selection, before, after) {
  if (!selection || selection.kind === "subnet") return selection;
  if (selection.kind === "lost") return carryLost(selection, after);
  const nodeAfter = (node) => after.indexOfGuid.get(before.guid[node]) ?? -1;
  if (selection.kind === "link") {
    const node = nodeAfter(before.links.a[selection.link]);
    const link = node < 0 ? -1 : after.linkAt(node, before.links.a_port[selection.link]);
    return link < 0 ? null : { kind: "link", link };
  }
  const node = nodeAfter(selection.node);
  return node < 0 ? { kind: "lost", guid: before.guid[selection.node] } : { ...selection, node };
}

/** What was lost and is there again is selected as what it is. */
function carryLost(selection, after) {
  const node = after.indexOfGuid.get(selection.guid);
  if (node === undefined) return selection;
  if (selection.port === undefined) return { kind: "node", node };
  const link = after.linkAt(node, selection.port);
  return link < 0 ? selection : { kind: "link", link };
}
