/** Properties of a JSON text that `JSON.parse` does not report: members that occur twice, and how many members and elements there are. */

/** The findings of a scan. Of a text that is not JSON it says what stands before the defect. */
export interface JsonScan {
  /** The path of a member whose object has another one of the same name, such as `metadata.a`. */
  repeated: string | undefined;
  /** Members and array elements at every depth, but for those inside the uncounted members. */
  count: number;
}

interface Level {
  path: string;
  /** The names of an object's members; null for an array. */
  names: Set<string> | null;
  isCounted: boolean;
}

const WHITE_SPACE = new Set([' ', '\t', '\n', '\r']);

/** Scans a JSON text once, until the count exceeds `most`. `uncounted`: paths whose contents are not counted. */
export function scanJson(text: string, uncounted: readonly string[] = [], most = Infinity): JsonScan {
  const scan: JsonScan = { repeated: undefined, count: 0 };
  const levels: Level[] = [];
  let path = '';
  let isName = false;
  let isElement = false;
  for (let at = 0; at < text.length && scan.count <= most; at++) {
    const character = text[at] ?? '';
    const level = levels.at(-1);
    if (WHITE_SPACE.has(character)) continue;
    if (level?.names === null && isElement && character !== ']') {
      if (level.isCounted) scan.count++;
      isElement = false;
    }
    if (character === '"') {
      const end = endOfString(text, at);
      if (isName && level?.names) {
        const name = nameOf(text.slice(at, end + 1));
        path = level.path === '' ? name : `${level.path}.${name}`;
        if (level.names.has(name)) scan.repeated ??= path;
        level.names.add(name);
        if (level.isCounted) scan.count++;
        isName = false;
      }
      at = end;
    } else if (character === '{' || character === '[') {
      const isObject = character === '{';
      const parent = level?.names === null ? level.path : path;
      const isCounted = (level?.isCounted ?? true) && !uncounted.includes(parent);
      levels.push({ path: parent, names: isObject ? new Set() : null, isCounted });
      [isName, isElement] = [isObject, !isObject];
    } else if (character === '}' || character === ']') {
      levels.pop();
      [isName, isElement] = [false, false];
    } else if (character === ',') {
      isName = level?.names instanceof Set;
      isElement = level?.names === null;
    }
  }
  return scan;
}

/** The index of the quotation mark that ends the string at `start`; the last index of a text that ends before. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** The text of a quoted name. Two spellings of one name are the same member. */
function nameOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
