// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { KindCoverageSchema } from "../../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { faultOfStatus } from "../../../../src/kube/kube-error.ts";
import { byteWords, kindAdvice, kindStateWords, sortKinds } from "./kind-words.ts";

const kind = (resource: string, state: string, rest: object = {}) =>
  create(KindCoverageSchema, { resource, state, ...rest });

test("trouble comes first, then names", () => {
  const kinds = [
    kind("b", "watching"),
    kind("a", "watching"),
    kind("c", "failed"),
    kind("d", "watching", { refusedCount: 2 }),
    kind("e", "brandNew"),
  ];
  expect(sortKinds(kinds).map(({ resource }) => resource)).toEqual(["c", "d", "e", "a", "b"]);
  expect(kindStateWords("brandNew").word).toBe("not known");
});

test("[R-32] a forbidden kind names the missing rule and how to get it", () => {
  const advice = kindAdvice("prod", kind("uds.dev/exemptions", "failed", { fault: "forbidden", verb: "list" }));
  expect(advice).toContain("may not list uds.dev/exemptions");
  expect(advice).toContain("flotilla agent manifest --cluster-id prod");
  expect(kindAdvice("prod", kind("pods", "watching"))).toBeUndefined();
  expect(kindAdvice("prod", kind("pods", "failed", { fault: "strange" }))).toBe("");
});

test("[R-32] a kind that is not installed has advice only if the server's error is known", () => {
  const failure = { fault: "notFound", verb: "list", error: "GET /apis/uds.dev/v1alpha1/exemptions was answered 404" };
  expect(kindAdvice("prod", kind("uds.dev/exemptions", "notInstalled", failure))).toContain("does not serve this kind");
  expect(kindAdvice("prod", kind("uds.dev/exemptions", "notInstalled"))).toBeUndefined();
});

test.each([
  [401, "refuses the agent's credential"],
  [403, "may not list"],
  [404, "does not serve this kind"],
  [410, "listed again and again"],
])("[R-32] a kind whose reads are answered %i says what would mend it", (status, advice) => {
  const failed = kind("pods", "failed", { fault: faultOfStatus(status), verb: "list", error: `answered ${status}` });
  expect(kindAdvice("prod", failed)).toContain(advice);
});

test.each([
  [0, "0 B"],
  [0.4, "0 B"],
  [999, "999 B"],
  [1_500, "1.5 kB"],
  [25_300_000, "25 MB"],
])("%d bytes are %s", (bytes, words) => {
  expect(byteWords(bytes)).toBe(words);
});
