// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { minorOf } from "./find-kubectl.ts";
import { normaliseOutput } from "./normalise-output.ts";
import { parseTranscript, splitWords } from "./parse-transcript.ts";
import { matchesLines, toLines } from "./play-transcript.ts";
import { readTranscript, transcriptNames } from "./prepare-transcript.ts";

test("a transcript is commands with what they print and directives", () => {
  const text =
    "# why\n@ from 1.32\n@ until\n$ kubectl get cm -l 'a in (b)'\nNAME\n! oh\n[1]\n\n@ ours: a reason\n$ kubectl version\n";
  expect(parseTranscript(text)).toEqual([
    {
      line: 4,
      words: ["get", "cm", "-l", "a in (b)"],
      expected: ["NAME", "! oh", "[1]"],
      fromMinor: 32,
      edit: undefined,
      isOursOnly: false,
      isAwaited: true,
    },
    { line: 10, words: ["version"], expected: [], fromMinor: 0, edit: undefined, isOursOnly: true, isAwaited: false },
  ]);
});

test.each(["@ ours\n$ kubectl version", "@ from 2\n$ kubectl version", "@ nothing\n", "$ rm all\n"])(
  "%j is refused",
  (text) => {
    expect(() => parseTranscript(text)).toThrow(/is no directive|only kubectl/);
  },
);

test.each(transcriptNames)("the transcript %s can be read and expects something", (name) => {
  expect(readTranscript(name).flatMap(({ expected }) => expected).length).toBeGreaterThan(10);
});

test("quotes keep spaces and are not part of the word", () => {
  expect(splitWords(`patch -p '{"a": "b c"}' --x='1 2'`)).toEqual(["patch", "-p", '{"a": "b c"}', "--x=1 2"]);
});

test("what differs between two runs is replaced, and nothing else", () => {
  const printed = [
    "NAME                   AGE   IP          LABELS",
    "web-56cd776789-9686h   3m2s   10.244.0.7   k8s.io/a=1,pod-template-hash=56cd776789",
    'uid: 0b9a7c1e-1111-4222-8333-123456789abc creationTimestamp: "2026-01-02T03:04:05Z"',
    'configmap "a" deleted from default namespace',
    "web-5b9c4-9686h 1/1 Running 0 <invalid>",
    'I1116 03:58:06.452666 9060 request.go:752] "Waited before sending request" delay="1.2s" reason="client-side throttling"',
    "nginx:1.27 apps/v1 80/TCP size 3",
  ];
  expect(normaliseOutput(printed.join("\n"))).toEqual([
    "NAME AGE IP LABELS",
    "web-HASH-ID AGE IP k8s.io/a=1,pod-template-hash=HASH",
    'uid: UID creationTimestamp: "TIME"',
    'configmap "a" deleted',
    "web-HASH-ID 1/1 Running 0 <invalid>",
    "nginx:1.27 apps/v1 80/TCP size 3",
  ]);
});

test.each([
  [["a", "b"], ["a", "b"], true],
  [["a", "b"], ["a"], false],
  [["a"], ["a", "b"], false],
  [["a", "x", "y", "b"], ["a", "...", "b"], true],
  [["a", "b"], ["...", "a", "...", "b", "..."], true],
  [["a", "x"], ["a", "...", "b"], false],
  [["! it is not here"], ["! ... not here"], true],
  [["! it is there"], ["! ... not here"], false],
  [[], ["..."], true],
])("%j against %j is %s", (lines, expected, verdict) => {
  expect(matchesLines(lines, expected)).toBe(verdict);
});

test("stderr and an exit code that is not 0 are part of what a command did", () => {
  expect(toLines({ code: 1, stdout: "a\n", stderr: "b\n" })).toEqual(["a", "! b", "[1]"]);
  expect(toLines({ code: null, stdout: "", stderr: "" })).toEqual(["[ended]"]);
});

test("versions are ordered by their minor, and others count as the newest", () => {
  expect([minorOf("1.9") < minorOf("1.27"), minorOf("kit") > minorOf("1.99")]).toEqual([true, true]);
});
