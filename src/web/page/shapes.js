// Draws U+2500 to U+259F as shapes, so that lines and blocks meet without seams in every font.

// Which arms a box-drawing character has: left, right, up, down; 1 light, 2 heavy, 3 double.
const ARMS = {
  0x2500: "1100", 0x2501: "2200", 0x2502: "0011", 0x2503: "0022",
  0x250c: "0101", 0x2510: "1001", 0x2514: "0110", 0x2518: "1010",
  0x250f: "0202", 0x2513: "2002", 0x2517: "0220", 0x251b: "2020",
  0x251c: "0111", 0x2524: "1011", 0x252c: "1101", 0x2534: "1110", 0x253c: "1111",
  0x2523: "0222", 0x252b: "2022", 0x2533: "2202", 0x253b: "2220", 0x254b: "2222",
  0x251d: "0211", 0x2525: "2011", 0x252f: "2201", 0x2537: "2210", 0x253f: "2211",
  0x2520: "0122", 0x2528: "1022", 0x2530: "1102", 0x2538: "1120", 0x2542: "1122",
  0x2550: "3300", 0x2551: "0033", 0x2554: "0303", 0x2557: "3003", 0x255a: "0330", 0x255d: "3030",
  0x2560: "0333", 0x2563: "3033", 0x2566: "3303", 0x2569: "3330", 0x256c: "3333",
  0x255e: "0311", 0x2561: "3011", 0x2564: "3301", 0x2567: "3310", 0x256a: "3311",
  0x255f: "0133", 0x2562: "1033", 0x2565: "1103", 0x2568: "1130", 0x256b: "1133",
  0x256d: "0101", 0x256e: "1001", 0x256f: "1010", 0x2570: "0110",
  0x2574: "1000", 0x2575: "0010", 0x2576: "0100", 0x2577: "0001",
  0x2578: "2000", 0x2579: "0020", 0x257a: "0200", 0x257b: "0002",
};

// Dashed lines: pieces, whether upright, weight.
const DASHES = {
  0x2504: [3, false, 1], 0x2505: [3, false, 2], 0x2506: [3, true, 1], 0x2507: [3, true, 2],
  0x2508: [4, false, 1], 0x2509: [4, false, 2], 0x250a: [4, true, 1], 0x250b: [4, true, 2],
  0x254c: [2, false, 1], 0x254d: [2, false, 2], 0x254e: [2, true, 1], 0x254f: [2, true, 2],
};

// The quarters of U+2596 to U+259F: upper left, upper right, lower left, lower right.
const QUARTERS = ["0010", "0001", "1000", "1011", "1001", "1110", "1101", "0100", "0110", "0111"];

function arms(paint, arms, x, y, width, height) {
  const light = Math.max(1, Math.round(width / 8));
  const middleX = x + Math.floor((width - light) / 2), middleY = y + Math.floor((height - light) / 2);
  const [left, right, up, down] = [...arms].map(Number);
  const gap = light; // between the lines of a double one
  for (const [weight, across, first] of [[left, true, true], [right, true, false], [up, false, true], [down, false, false]]) {
    if (weight === 0) continue;
    const thick = weight === 2 ? 2 * light : light;
    for (const off of weight === 3 ? [-gap, gap] : [0]) {
      if (across) {
        const from = first ? x : middleX - (weight === 3 ? gap : 0), to = first ? middleX + light + (weight === 3 ? gap : 0) : x + width;
        paint.fillRect(from, middleY + off, to - from, thick);
      } else {
        const from = first ? y : middleY - (weight === 3 ? gap : 0), to = first ? middleY + light + (weight === 3 ? gap : 0) : y + height;
        paint.fillRect(middleX + off, from, thick, to - from);
      }
    }
  }
}

// Draws a character that is such a shape; returns whether it is one.
export function shape(paint, sign, x, y, width, height) {
  if (sign < 0x2500 || sign > 0x259f) return false;
  const part = (eighths, of) => Math.round(of * eighths / 8);
  const box = (left, top, right, bottom) => {
    const [x0, x1] = [part(left, width), part(right, width)], [y0, y1] = [part(top, height), part(bottom, height)];
    paint.fillRect(x + x0, y + y0, x1 - x0, y1 - y0);
  };
  if (ARMS[sign]) arms(paint, ARMS[sign], x, y, width, height);
  else if (DASHES[sign]) {
    const [pieces, upright, weight] = DASHES[sign];
    const thick = Math.max(1, Math.round(width / 8)) * weight;
    const length = (upright ? height : width) / pieces;
    for (let piece = 0; piece < pieces; piece++) {
      const from = Math.round(piece * length), to = Math.round((piece + 0.6) * length);
      if (upright) paint.fillRect(x + Math.floor((width - thick) / 2), y + from, thick, to - from);
      else paint.fillRect(x + from, y + Math.floor((height - thick) / 2), to - from, thick);
    }
  } else if (sign === 0x2580) box(0, 0, 8, 4);
  else if (sign <= 0x2588 && sign > 0x2580) box(0, 8 - (sign - 0x2580), 8, 8);
  else if (sign <= 0x258f && sign > 0x2588) box(0, 0, 8 - (sign - 0x2588), 8);
  else if (sign === 0x2590) box(4, 0, 8, 8);
  else if (sign <= 0x2593 && sign > 0x2590) {
    paint.globalAlpha = (sign - 0x2590) / 4;
    box(0, 0, 8, 8);
    paint.globalAlpha = 1;
  } else if (sign === 0x2594) box(0, 0, 8, 1);
  else if (sign === 0x2595) box(7, 0, 8, 8);
  else if (sign >= 0x2596) {
    const quarters = QUARTERS[sign - 0x2596];
    for (let quarter = 0; quarter < 4; quarter++) {
      if (quarters[quarter] === "1") box(quarter % 2 * 4, quarter < 2 ? 0 : 4, quarter % 2 * 4 + 4, quarter < 2 ? 4 : 8);
    }
  } else return false;
  return true;
}
