// In: frames that hold SVG files. Out: a list of what collides, in the page. The idea: boxes and lines as the
// browser has laid them out, not as the program that drew them believes.
onload = () => {
  const said = [];
  const SLACK = 1.5, SMALLEST = 11;

  const crosses = (x1, y1, x2, y2, box) => { // does the segment meet the box? (Liang and Barsky)
    let from = 0, to = 1;
    for (const [p, q] of [[x1 - x2, x1 - box.left], [x2 - x1, box.right - x1], [y1 - y2, y1 - box.top],
                          [y2 - y1, box.bottom - y1]]) {
      if (p === 0) {
        if (q < 0) return false;
      } else if (p < 0) {
        from = Math.max(from, q / p);
      } else {
        to = Math.min(to, q / p);
      }
    }
    return from <= to;
  };

  const boxOf = (element) => {
    const {x, y, width, height} = element.getBBox();
    // A line of type has room above its capitals and below its base line.
    return element.tagName !== 'text' ? {left: x, right: x + width, top: y, bottom: y + height} :
      {left: x + SLACK, right: x + width - SLACK, top: y + height * 0.25, bottom: y + height * 0.8};
  };

  const look = (frame) => {
    const inside = frame.contentDocument, root = inside.documentElement, name = frame.dataset.name;
    const say = (what) => said.push(`${name}: ${what}`);
    const texts = [...root.querySelectorAll('text')].filter((text) => text.textContent.trim());
    const boxes = texts.map(boxOf), {width, height} = root.viewBox.baseVal;
    // A point every pixel: what lies between two parts of a path isn't drawn, and has no points.
    const points = [...root.querySelectorAll('path, line, polyline')].flatMap((path) =>
      Array.from({length: Math.ceil(path.getTotalLength()) + 1}, (_, at) => path.getPointAtLength(at)));
    const edges = [...root.querySelectorAll('rect')].map(boxOf);
    texts.forEach((text, i) => {
      const box = boxes[i], words = `"${text.textContent.replace(/\s+/g, ' ')}"`;
      if (points.some(({x, y}) => x > box.left && x < box.right && y > box.top && y < box.bottom))
        say(`a line runs through ${words}`);
      if (edges.some(({left, right, top, bottom}) => [[left, top, right, top], [left, bottom, right, bottom],
        [left, top, left, bottom], [right, top, right, bottom]].some((edge) => crosses(...edge, box))))
        say(`an edge runs through ${words}`);
      texts.slice(i + 1).forEach((other, j) => {
        const that = boxes[i + 1 + j];
        if (box.left < that.right && that.left < box.right && box.top < that.bottom && that.top < box.bottom)
          say(`${words} and "${other.textContent}" collide`);
      });
      if (box.left < -SLACK || box.right > width + SLACK || box.top < 0 || box.bottom > height)
        say(`${words} is cut off`);
      const {fontSize, fontFamily} = inside.defaultView.getComputedStyle(text);
      if (parseFloat(fontSize) < SMALLEST) say(`${words} is too small`);
      // A terminal shows back ticks; elsewhere they were meant to set code.
      if (text.textContent.includes('`') && !/mono/i.test(fontFamily)) say(`${words} shows its back ticks`);
    });
  };

  const frames = [...document.querySelectorAll('iframe')];
  frames.forEach(look);
  const pre = document.createElement('pre');
  pre.id = 'said';
  pre.textContent = `\n${[...said, `looked at ${frames.length}`].join('\n')}\n`;
  document.body.replaceChildren(pre);
};
