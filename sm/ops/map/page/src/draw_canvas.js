// Draws with the browser's 2D canvas, for browsers without WebGL: shapes of one colour are one path.

export class CanvasRenderer {
  constructor(canvas) {
    this.context = canvas.getContext("2d", { alpha: false });
    this.canvas = canvas;
    this.lines = new Map();
    this.rectangles = [];
    this.background = "#ffffff";
  }
  get name() {
    return "2D canvas";
  }
  resize(width, height, ratio) {
    Object.assign(this, { width, height, ratio });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
  }
  setBackground(colour) {
    this.background = colour;
  }
  setLines(slot, lines) {
    const paths = new Map();
    for (let i = 0; i < lines.count; i++) {
      const [r, g, b, a] = lines.colours.subarray(4 * i, 4 * i + 4);
      const [width, shift] = lines.styles.subarray(2 * i, 2 * i + 2);
      const key = `${r},${g},${b},${a},${width},${shift}`;
      if (!paths.has(key)) paths.set(key, { colour: `rgb(${r} ${g} ${b})`, alpha: a / 255, width, shift, path: new Path2D() });
      const { path } = paths.get(key);
      path.moveTo(lines.pieces[4 * i], lines.pieces[4 * i + 1]);
      path.lineTo(lines.pieces[4 * i + 2], lines.pieces[4 * i + 3]);
    }
    this.lines.set(slot, [...paths.values()]);
  }
  setRectangles(rectangles, colours) {
    const paths = new Map();
    for (let i = 0; i < rectangles.length / 4; i++) {
      const [x, y, width, height] = rectangles.subarray(4 * i, 4 * i + 4);
      const key = `rgb(${colours[4 * i]} ${colours[4 * i + 1]} ${colours[4 * i + 2]})`;
      if (!paths.has(key)) paths.set(key, new Path2D());
      if (!Number.isNaN(x)) paths.get(key).rect(x - width / 2, y - height / 2, width, height);
    }
    this.rectangles = [...paths];
  }
  draw(view) {
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = this.background;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.drawLines("ordinary", view, view.strength);
    this.drawLines("strong", view, 1);
    this.moveTo(view, 0);
    context.globalAlpha = 1;
    for (const [colour, path] of this.rectangles) {
      context.fillStyle = colour;
      context.fill(path);
    }
    this.drawLines("marks", view, 1);
  }
  drawLines(slot, view, strength) {
    for (const line of this.lines.get(slot) ?? []) {
      this.moveTo(view, line.shift);
      this.context.globalAlpha = Math.min(1, line.alpha * strength);
      this.context.strokeStyle = line.colour;
      this.context.lineWidth = line.width / view.scale;
      this.context.stroke(line.path);
    }
  }
  moveTo(view, shift) {
    const scale = view.scale * this.ratio;
    const x = (this.width / 2 + shift - view.x * view.scale) * this.ratio;
    const y = (this.height / 2 + shift - view.y * view.scale) * this.ratio;
    this.context.setTransform(scale, 0, 0, scale, x, y);
  }
}
