// SPDX-License-Identifier: Apache-2.0

/** The 16-bit groups of an IP address: two for IPv4, eight for IPv6. */
export type AddressBits = readonly number[];

/** The addresses that share the first bits of one. */
export interface IpRange {
  readonly first: AddressBits;
  readonly bitCount: number;
}

/** Parses an IPv4 or IPv6 address without a zone; undefined for any other text. */
export function parseAddress(text: string): AddressBits | undefined {
  if (text.length > 45) return undefined;
  return text.includes(":") ? parseSixGroups(text) : parseFour(text);
}

/** Parses `10.0.0.0/8`, or a single address; undefined for any other text. Bits after the prefix are ignored. */
export function parseAddressRange(text: string): IpRange | undefined {
  const slash = text.indexOf("/");
  const first = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (first === undefined) return undefined;
  const most = first.length * 16;
  if (slash < 0) return { first, bitCount: most };
  const bits = text.slice(slash + 1);
  return /^(?:0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= most ? { first, bitCount: Number(bits) } : undefined;
}

/** IPv4 comes before IPv6. */
export function compareAddresses(a: AddressBits, b: AddressBits): number {
  if (a.length !== b.length) return a.length - b.length;
  for (const [at, group] of a.entries()) {
    const difference = group - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function isInRange(address: AddressBits, { first, bitCount }: IpRange): boolean {
  if (address.length !== first.length) return false;
  for (const [at, group] of first.entries()) {
    const bits = Math.min(16, Math.max(0, bitCount - at * 16));
    const mask = (0xffff << (16 - bits)) & 0xffff;
    if (((address[at] ?? 0) & mask) !== (group & mask)) return false;
  }
  return true;
}

function parseFour(text: string): AddressBits | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  return [a * 256 + b, c * 256 + d];
}

/** `::` stands for as many zero groups as are missing, once. The last two groups may be written as IPv4. */
function parseSixGroups(text: string): AddressBits | undefined {
  const sides = text.split("::");
  if (sides.length > 2) return undefined;
  const [head, tail] = sides.map((side, at) => parseGroups(side, at === sides.length - 1));
  if (head === undefined || (sides.length === 2 && tail === undefined)) return undefined;
  if (tail === undefined) return head.length === 8 ? head : undefined;
  const missing = 8 - head.length - tail.length;
  return missing < 1 ? undefined : [...head, ...Array.from({ length: missing }, () => 0), ...tail];
}

function parseGroups(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [at, part] of parts.entries()) {
    const four = isLast && at === parts.length - 1 ? parseFour(part) : undefined;
    if (four !== undefined) groups.push(...four);
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}
