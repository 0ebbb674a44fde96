/** WWW-Authenticate (RFC 9110, section 11): several challenges of several schemes in one value, and their parameters. */

/** A challenge of any scheme, its parameters in lower case. */
export interface SchemeChallenge {
  scheme: string;
  params: Map<string, string>;
  /** Its defect, if it has one. */
  defect?: string;
}

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const SPACE = /[ \t]*/y;
/** Credentials in one piece, as other schemes have them. */
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;

/** Challenges that are read of one response. More are an attack on the reader: no server asks for payment in so many ways. */
export const MAX_CHALLENGES = 32;

/**
 * Splits a header value into its challenges, at most `limit`. What cannot be read ends the challenge it stands in, and names its defect.
 */
export function splitChallenges(value: string, limit = MAX_CHALLENGES): SchemeChallenge[] {
  const reader = new Reader(value);
  const challenges: SchemeChallenge[] = [];
  for (;;) {
    reader.skipCommas();
    if (reader.isAtEnd || challenges.length >= limit) return challenges;
    challenges.push(readChallenge(reader));
  }
}

function readChallenge(reader: Reader): SchemeChallenge {
  const scheme = reader.take(TOKEN);
  const challenge: SchemeChallenge = { scheme: scheme?.toLowerCase() ?? '', params: new Map() };
  if (scheme === undefined) return { ...challenge, defect: reader.giveUp('it begins with no scheme') };
  reader.take(SPACE);
  if (reader.take(TOKEN68) !== undefined) return challenge;
  for (let first = true; !reader.isAtEnd; first = false) {
    if (!first && !reader.skipCommas()) return { ...challenge, defect: reader.giveUp('its parameters are not separated by commas') };
    // A token without "=" is the next challenge's scheme.
    const name = reader.peekParamName();
    if (name === undefined) return challenge;
    const param = readParam(reader);
    if (typeof param === 'string') return { ...challenge, defect: reader.giveUp(param) };
    if (challenge.params.has(param.name)) return { ...challenge, defect: reader.giveUp(`${param.name} is there twice`) };
    challenge.params.set(param.name, param.value);
  }
  return challenge;
}

function readParam(reader: Reader): { name: string; value: string } | string {
  const name = reader.take(TOKEN)?.toLowerCase() ?? '';
  reader.take(SPACE);
  reader.takeCharacter('=');
  reader.take(SPACE);
  const value = reader.isAt('"') ? reader.takeQuoted() : reader.take(TOKEN);
  return value === undefined ? `${name} has no value, or one that does not end` : { name, value };
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  isAt(character: string): boolean {
    return this.text[this.at] === character;
  }

  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (!match) return undefined;
    this.at += match[0].length;
    return match[0];
  }

  takeCharacter(character: string): void {
    if (this.isAt(character)) this.at++;
  }

  /** Whether there was one. */
  skipCommas(): boolean {
    let commas = 0;
    for (;;) {
      this.take(SPACE);
      if (!this.isAt(',')) return commas > 0 || this.isAtEnd;
      this.at++;
      commas++;
    }
  }

  /** The name of a parameter that begins here; undefined if none does. */
  peekParamName(): string | undefined {
    const start = this.at;
    const name = this.take(TOKEN);
    this.take(SPACE);
    const isParam = name !== undefined && this.isAt('=');
    this.at = start;
    return isParam ? name : undefined;
  }

  /** A quoted-string, without its escapes; undefined if it does not end. */
  takeQuoted(): string | undefined {
    let value = '';
    for (let index = this.at + 1; index < this.text.length; index++) {
      const character = this.text[index] ?? '';
      if (character === '"') {
        this.at = index + 1;
        return value;
      }
      if (character !== '\\') {
        value += character;
        continue;
      }
      // Writers double each backslash, so that \uXXXX is only ever what mppx makes of characters above Latin-1.
      const unicode = /^u[0-9A-Fa-f]{4}/.exec(this.text.slice(index + 1, index + 6))?.[0];
      value += unicode ? String.fromCharCode(Number.parseInt(unicode.slice(1), 16)) : (this.text[index + 1] ?? '');
      index += unicode ? unicode.length : 1;
    }
    return undefined;
  }

  /** Nothing more can be read from here. */
  giveUp(defect: string): string {
    this.at = this.text.length;
    return defect;
  }
}
