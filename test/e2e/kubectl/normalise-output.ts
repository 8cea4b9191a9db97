// SPDX-License-Identifier: Apache-2.0

/** Kubernetes' letters of generated names; a word of eight of them and no other hardly occurs. */
const letter = "[bcdfghjklmnpqrstvwxz2456789]";

/**
 * A hash is a number of 32 bits, so one in 400 has less than eight digits. Before an id of five letters four are enough
 * to know it.
 */
const hashBeforeId = `${letter}{4,10}`;

/** What differs between two runs, and what stands for it in a transcript. */
const replacements: readonly (readonly [RegExp, string])[] = [
  // What kubectl says of its own limit of requests, where a machine is so busy that it waited a second.
  [/^I\d{4} .*Waited (?:for \S+ due to|before sending request).*\n/gm, ""],
  // Colours, which cluster-info prints even into a file.
  [new RegExp(String.raw`\u001b\[[\d;]*m`, "g"), ""],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UID"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME"],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "TIME"],
  [/\S*\/(LIVE|MERGED)-\d+\//g, "$1/"],
  [/kube-api-access-\w{5}\b/g, "kube-api-access-ID"],
  [/https:\/\/127\.0\.0\.1:\d+/g, "SERVER"],
  [/\b10(?:\.\d+){3}\b/g, "IP"],
  [new RegExp(`-${hashBeforeId}-${letter}{5}\\b`, "g"), "-HASH-ID"],
  [new RegExp(`([-=])${letter}{8,10}\\b`, "g"), "$1HASH"],
  [/(resourceVersion"?: )"\d+"/g, "$1VERSION"],
  [/(Resource Version: +)\d+/g, "$1VERSION"],
  [/(?<![\w.:-])(?:\d+[dhms]){1,2}(?![\w.:-])/g, "AGE"],
  // Versions since 1.34 tell where an object was deleted.
  [/ (?:from|in) \S+ namespace$/gm, ""],
  [/[ \t]+/g, " "],
];

/** The lines of an output as a transcript has them. */
export function normaliseOutput(text: string): readonly string[] {
  const normal = replacements.reduce((each, [pattern, by]) => each.replaceAll(pattern, by), text);
  return normal.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
