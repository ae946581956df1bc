// Draws with the browser's 2D canvas, where there is no WebGL or only a computed one: shapes of one colour are one path.
//
// A large fabric takes longer than a frame. So it is drawn as a picture beside the screen, a part in each frame; the screen shows the
// last picture that is complete, moved and scaled to where the camera is by now, and above it the few lines of the selection and paths.

const PIECES_OF_PATH = 250; // less than a millisecond
const PART_MS = 3;

export class CanvasRenderer {
  constructor(canvas) {
    this.context = canvas.getContext("2d", { alpha: false });
    this.canvas = canvas;
    this.lines = new Map();
    this.rectangles = [];
    this.background = "#ffffff";
    this.version = 0; // of what is drawn
    this.shown = null; // the last complete picture: {canvas, context, view, version}
    this.next = null; // the one that is being drawn, and {rest}: what is missing
    this.spare = null;
    this.onProgress = null; // asks for another frame
  }
  get name() {
    return "2D canvas";
  }
  resize(width, height, ratio) {
    Object.assign(this, { width, height, ratio });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.shown = this.next = this.spare = null;
  }
  setBackground(colour) {
    this.background = colour;
    this.version++;
  }
  setLines(slot, lines) {
    const paths = new Map();
    const all = [];
    for (let i = 0; i < lines.count; i++) {
      const [r, g, b, a] = lines.colours.subarray(4 * i, 4 * i + 4);
      const [width, shift] = lines.styles.subarray(2 * i, 2 * i + 2);
      const key = `${r},${g},${b},${a},${width},${shift}`;
      let of = paths.get(key);
      if (!of || of.count === PIECES_OF_PATH) {
        of = { colour: `rgb(${r} ${g} ${b})`, alpha: a / 255, width, shift, path: new Path2D(), count: 0 };
        paths.set(key, of);
        all.push(of);
      }
      of.count++;
      of.path.moveTo(lines.pieces[4 * i], lines.pieces[4 * i + 1]);
      of.path.lineTo(lines.pieces[4 * i + 2], lines.pieces[4 * i + 3]);
    }
    this.lines.set(slot, all);
    if (slot !== "marks") this.version++;
  }
  setRectangles(rectangles, colours) {
    const paths = new Map();
    this.rectangles = [];
    for (let i = 0; i < rectangles.length / 4; i++) {
      const [x, y, width, height] = rectangles.subarray(4 * i, 4 * i + 4);
      if (Number.isNaN(x)) continue;
      const colour = `rgb(${colours[4 * i]} ${colours[4 * i + 1]} ${colours[4 * i + 2]})`;
      let of = paths.get(colour);
      if (!of || of.count === 2 * PIECES_OF_PATH) {
        of = { colour, path: new Path2D(), count: 0 };
        paths.set(colour, of);
        this.rectangles.push(of);
      }
      of.count++;
      of.path.rect(x - width / 2, y - height / 2, width, height);
    }
    this.version++;
  }

  draw(view) {
    if (!this.next && !this.isShown(view)) this.begin(view);
    // The first picture is waited for: there is nothing to show instead.
    if (this.next && this.drawPart(this.shown ? PART_MS : Infinity)) {
      this.spare = this.shown;
      this.shown = this.next;
      this.next = null;
    }
    this.show(view);
    if (this.next || !this.isShown(view)) this.onProgress?.();
  }

  isShown({ x, y, scale, strength }) {
    const of = this.shown;
    return of !== null && of.version === this.version && of.view.x === x && of.view.y === y && of.view.scale === scale && of.view.strength === strength;
  }

  begin(view) {
    const picture = this.spare ?? newPicture(this.canvas.width, this.canvas.height);
    this.spare = null;
    const { context } = picture;
    Object.assign(picture, { view: { ...view }, version: this.version });
    fill(context, picture.canvas, this.background);
    picture.rest = [
      ...this.lineParts(context, "ordinary", view, view.strength), ...this.lineParts(context, "strong", view, 1),
      ...this.rectangles.map(({ colour, path }) => () => {
        this.moveTo(context, view, 0);
        context.globalAlpha = 1;
        context.fillStyle = colour;
        context.fill(path);
      }),
    ].reverse();
    this.next = picture;
  }

  /** True: the picture is complete. */
  drawPart(most_ms) {
    const { rest, context } = this.next;
    const start = performance.now();
    while (rest.length > 0) {
      rest.pop()();
      if (most_ms === Infinity) continue;
      context.getImageData(0, 0, 1, 1); // what was asked for is drawn by now, not in a later frame all at once
      if (performance.now() - start > most_ms) break;
    }
    return rest.length === 0;
  }

  show(view) {
    const { context, shown, width, height, ratio } = this;
    fill(context, this.canvas, this.background);
    const factor = view.scale / shown.view.scale;
    const x = ((shown.view.x - view.x) * view.scale + (width / 2) * (1 - factor)) * ratio;
    const y = ((shown.view.y - view.y) * view.scale + (height / 2) * (1 - factor)) * ratio;
    context.setTransform(factor, 0, 0, factor, x, y);
    context.drawImage(shown.canvas, 0, 0);
    for (const part of this.lineParts(context, "marks", view, 1)) part();
  }

  /** A function for each path. */
  lineParts(context, slot, view, strength) {
    return (this.lines.get(slot) ?? []).map((line) => () => {
      this.moveTo(context, view, line.shift);
      context.globalAlpha = Math.min(1, line.alpha * strength);
      context.strokeStyle = line.colour;
      context.lineWidth = line.width / view.scale;
      context.stroke(line.path);
    });
  }
  moveTo(context, view, shift) {
    const scale = view.scale * this.ratio;
    const x = (this.width / 2 + shift - view.x * view.scale) * this.ratio;
    const y = (this.height / 2 + shift - view.y * view.scale) * this.ratio;
    context.setTransform(scale, 0, 0, scale, x, y);
  }
}

function newPicture(width, height) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  return { canvas, context: canvas.getContext("2d", { alpha: false, willReadFrequently: true }) };
}

function fill(context, canvas, colour) {
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.globalAlpha = 1;
  context.fillStyle = colour;
  context.fillRect(0, 0, canvas.width, canvas.height);
}
