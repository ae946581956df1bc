// Draws with WebGL (three.js): one draw call for each kind of shape, whatever their number.

import {
  BufferAttribute, Color, CustomBlending, GLSL3, InstancedBufferAttribute, InstancedBufferGeometry, Mesh,
  OneMinusSrcAlphaFactor, OrthographicCamera, RawShaderMaterial, Scene, SrcAlphaFactor, Vector2, WebGLRenderer,
} from "three";

const LINE_SHADER = `
precision highp float;
in vec2 corner;   // x: 0 at the first end, 1 at the second; y: -1, 1
in vec4 piece;
in vec4 colour;
in vec2 style;    // width, shift to the side: pixels
uniform vec2 centre, screen;
uniform float scale, strength;
out vec4 tint;
out float across;
out float half_width;
void main() {
  vec2 from = (piece.xy - centre) * scale, to = (piece.zw - centre) * scale;
  vec2 along = to - from;
  float length_px = max(length(along), 1e-4);
  vec2 normal = vec2(-along.y, along.x) / length_px;
  half_width = style.x * 0.5 + 0.5;  // and half a pixel that fades
  vec2 at = mix(from, to, corner.x) + normal * (corner.y * half_width + style.y);
  across = corner.y * half_width;
  tint = vec4(colour.rgb, clamp(colour.a * strength, 0.0, 1.0));
  gl_Position = vec4(at.x / screen.x * 2.0, -at.y / screen.y * 2.0, 0.0, 1.0);
}`;
const LINE_PIXELS = `
precision highp float;
in vec4 tint;
in float across;
in float half_width;
out vec4 pixel;
void main() { pixel = vec4(tint.rgb, tint.a * clamp(half_width - abs(across), 0.0, 1.0)); }`;

const RECTANGLE_SHADER = `
precision highp float;
in vec2 corner;
in vec4 rectangle;
in vec4 colour;
uniform vec2 centre, screen;
uniform float scale;
out vec4 tint;
void main() {
  vec2 size = max(rectangle.zw * scale, vec2(1.0));
  vec2 at = (rectangle.xy - centre) * scale + (corner - vec2(0.5, 0.0)) * vec2(1.0, 0.5) * size;
  tint = colour;
  gl_Position = vec4(at.x / screen.x * 2.0, -at.y / screen.y * 2.0, 0.0, 1.0);
}`;
const RECTANGLE_PIXELS = `
precision highp float;
in vec4 tint;
out vec4 pixel;
void main() { pixel = tint; }`;

/** Whether there is WebGL, and a GPU behind it: without one, pixels are computed, which takes longer than to draw with a 2D canvas. */
export function hasGpu() {
  const context = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!context) return false;
  const names = context.getExtension("WEBGL_debug_renderer_info");
  const name = context.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : context.RENDERER);
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(String(name));
}

export class WebGlRenderer {
  /** Throws where the browser has no WebGL 2. */
  /** Throws where there is no WebGL. */
  constructor(canvas) {
    this.renderer = new WebGLRenderer({ canvas, antialias: false, alpha: false, powerPreference: "low-power" });
    this.scene = new Scene();
    this.camera = new OrthographicCamera();
    this.uniforms = {
      centre: { value: new Vector2() }, screen: { value: new Vector2(1, 1) }, scale: { value: 1 }, strength: { value: 1 },
    };
    this.fullStrength = { ...this.uniforms, strength: { value: 1 } };
    this.meshes = new Map();
  }
  get name() {
    return "WebGL";
  }
  resize(width, height, ratio) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.uniforms.screen.value.set(width, height);
  }
  setBackground(colour) {
    this.renderer.setClearColor(new Color(colour), 1);
  }
  /** slot: "ordinary", "strong", "marks". */
  setLines(slot, lines) {
    this.replace(slot, lines.count, { piece: [lines.pieces, 4], colour: [lines.colours, 4], style: [lines.styles, 2] },
      LINE_SHADER, LINE_PIXELS, slot === "ordinary" ? this.uniforms : this.fullStrength);
  }
  setRectangles(rectangles, colours) {
    this.replace("rectangles", rectangles.length / 4, { rectangle: [rectangles, 4], colour: [colours, 4] },
      RECTANGLE_SHADER, RECTANGLE_PIXELS, this.uniforms);
  }
  replace(slot, count, attributes, vertexShader, fragmentShader, uniforms) {
    const before = this.meshes.get(slot);
    if (before) {
      this.scene.remove(before);
      before.geometry.dispose();
    }
    const geometry = new InstancedBufferGeometry();
    geometry.instanceCount = count;
    geometry.setAttribute("corner", new BufferAttribute(new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]), 2));
    geometry.setIndex([0, 1, 2, 2, 1, 3]);
    for (const [name, [values, size]] of Object.entries(attributes)) {
      geometry.setAttribute(name, new InstancedBufferAttribute(values, size, values instanceof Uint8Array));
    }
    const material = before?.material ?? new RawShaderMaterial({
      vertexShader, fragmentShader, uniforms, glslVersion: GLSL3, transparent: true, depthTest: false, depthWrite: false,
      side: 2, blending: CustomBlending, blendSrc: SrcAlphaFactor, blendDst: OneMinusSrcAlphaFactor,
    });
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = ["ordinary", "strong", "rectangles", "marks"].indexOf(slot);
    mesh.visible = count > 0;
    this.meshes.set(slot, mesh);
    this.scene.add(mesh);
  }
  draw(view) {
    this.uniforms.centre.value.set(view.x, view.y);
    this.uniforms.scale.value = view.scale;
    this.uniforms.strength.value = view.strength;
    this.renderer.render(this.scene, this.camera);
  }
}
