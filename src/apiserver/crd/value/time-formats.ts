// SPDX-License-Identifier: Apache-2.0
// The date, time and duration formats of a schema.

/** A date: `2006-01-02`. */
export function isFullDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** A time in RFC 3339. As in kube-apiserver, any character may precede the fraction, and letters may be lower-case. */
export function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isFullDate(date)) return false;
  const found = /^(\d\d):(\d\d):(\d\d)(?:[^\n]\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time);
  const [, hours = "", minutes = "", seconds = ""] = found ?? [];
  return found !== null && hours <= "23" && minutes <= "59" && seconds <= "59";
}

/** Maximum length of a duration. kube-apiserver has no bound, but the search for units takes quadratic time. */
const maxDurationLength = 1_000;

/** One more than the nanoseconds that Go's duration can hold. */
const maxNanoseconds = 2n ** 63n;

const unitNanoseconds: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1e3],
  ["µs", 1e3],
  ["μs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["m", 60e9],
  ["h", 3_600e9],
]);

/** Units in words: a listed form, or any word that starts with the last form. */
const wordUnits: readonly (readonly string[])[] = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "wk", "week"],
];

/** A Go duration (`1h30m`), or numbers with units in words anywhere in the text (`3 days`). */
export function isDuration(text: string): boolean {
  if (text.length > maxDurationLength) return false;
  if (isGoDuration(text)) return true;
  let isFound = false;
  for (const [, count = "", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    if (BigInt(count.slice(0, 30)) >= maxNanoseconds) return false;
    const word = unit.toLowerCase();
    isFound ||= wordUnits.some((forms) => forms.includes(word) || word.startsWith(forms.at(-1) ?? ""));
  }
  return isFound;
}

function isGoDuration(text: string): boolean {
  const rest = text.replace(/^[+-]/, "");
  if (rest === "0") return true;
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return false;
  let sum = 0;
  for (const [, count = "", unit = ""] of rest.matchAll(/(\d+(?:\.\d*)?|\.\d+)([a-zµμ]+)/g))
    sum += Number(count) * (unitNanoseconds.get(unit) ?? 0);
  return sum < Number(maxNanoseconds);
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}
