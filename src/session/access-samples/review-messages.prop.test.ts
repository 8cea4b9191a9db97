// SPDX-License-Identifier: Apache-2.0
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  AccessReportSchema,
  AccessVerdict,
  AccessVerdictsSchema,
  ReviewAccessSchema,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import { isReviewable, maxReviewCount, type SampledRequest, takeOrder } from "./access-sample.ts";
import {
  parseAccessReport,
  parseAccessVerdicts,
  parseReviewAccess,
  toAccessReport,
  toAccessVerdicts,
  toReviewAccess,
} from "./review-messages.ts";

const text = fc.string({ maxLength: 12 });
const request = fc.record({
  user: text,
  groups: fc.array(text, { maxLength: 3 }),
  verb: fc.constantFrom("get", "list", "watch"),
  group: text,
  resource: text,
  namespace: text,
  name: text,
});

test("[SE62] [SE63] reports, orders and answers arrive as they were sent", () => {
  const report = fc.record({
    authorizers: fc.constantFrom("rbac" as const, "other" as const, "unknown" as const),
    detail: text,
    reviews: fc.constantFrom("allowed" as const, "forbidden" as const, "off" as const),
  });
  fc.assert(
    fc.property(report, (sent) => {
      const bytes = toBinary(AccessReportSchema, create(AccessReportSchema, toAccessReport(sent)));
      expect(parseAccessReport(fromBinary(AccessReportSchema, bytes))).toEqual(sent);
    }),
  );
  const number = fc.nat(0xffff_ffff);
  fc.assert(
    fc.property(number, fc.array(request, { maxLength: 5 }), (given, requests) => {
      const sent = { number: given, requests };
      const bytes = toBinary(ReviewAccessSchema, create(ReviewAccessSchema, toReviewAccess(sent)));
      expect(parseReviewAccess(fromBinary(ReviewAccessSchema, bytes))).toEqual(sent);
    }),
  );
  const verdicts = fc.array(fc.constantFrom("allowed" as const, "denied" as const, "unknown" as const), {
    maxLength: maxReviewCount,
  });
  fc.assert(
    fc.property(number, verdicts, (given, list) => {
      const sent = { number: given, verdicts: list };
      const bytes = toBinary(AccessVerdictsSchema, create(AccessVerdictsSchema, toAccessVerdicts(sent)));
      expect(parseAccessVerdicts(fromBinary(AccessVerdictsSchema, bytes))).toEqual(sent);
    }),
  );
});

/** A number that no enum of this build has. */
const newer = 77 as never;

test("[SE3] values of a newer peer prove and permit nothing", () => {
  const report = create(AccessReportSchema, { authorizers: newer, reviews: newer, detail: "x".repeat(5_000) });
  expect(parseAccessReport(report)).toMatchObject({ authorizers: "unknown", reviews: "off" });
  expect(parseAccessReport(report).detail.length).toBeLessThanOrEqual(512);
  const answer = create(AccessVerdictsSchema, { number: 1, verdicts: [newer, AccessVerdict.ALLOWED] });
  expect(parseAccessVerdicts(answer).verdicts).toEqual(["unknown", "allowed"]);
});

test("[SE63] more questions than an order has are dropped, more verdicts refused", () => {
  const questions = Array.from({ length: 100 }, () => ({ user: "a" }));
  expect(parseReviewAccess(create(ReviewAccessSchema, { questions })).requests).toHaveLength(maxReviewCount);
  const verdicts = Array.from({ length: maxReviewCount + 1 }, () => AccessVerdict.ALLOWED);
  expect(() => parseAccessVerdicts(create(AccessVerdictsSchema, { verdicts }))).toThrow(
    expect.objectContaining({ code: "TOO_LARGE" }),
  );
});

const plain: SampledRequest = {
  user: "alice",
  groups: ["team", "system:authenticated"],
  verb: "list",
  group: "apps",
  resource: "deployments",
  namespace: "shop",
  name: "",
};

test.each<[string, object, boolean]>([
  ["a list in a namespace", {}, true],
  ["a list of the whole cluster in the core group", { group: "", resource: "pods", namespace: "" }, true],
  ["a get of one object", { verb: "get", name: "web:1" }, true],
  ["a service account", { user: "system:serviceaccount:shop:web" }, false],
  ["the anonymous user", { user: "system:anonymous" }, false],
  ["no user", { user: "" }, false],
  ["a group of the cluster's own", { groups: ["system:masters"] }, false],
  ["a group with a control character", { groups: ["a\nb"] }, false],
  ["another verb", { verb: "delete" }, false],
  ["a verb of a newer hub", { verb: "*" }, false],
  ["a subresource", { resource: "pods/log" }, false],
  ["all resources", { resource: "*" }, false],
  ["no resource", { resource: "" }, false],
  ["a long name", { name: "x".repeat(254) }, false],
  ["many groups", { groups: Array.from({ length: 1_025 }, (_, at) => `g${at}`) }, false],
  ["names of more than 16 KiB", { groups: Array.from({ length: 20 }, (_, at) => `${at}`.padEnd(1_000, "g")) }, false],
])("[SE64] %s", (_what, change, isAsked) => {
  expect(isReviewable({ ...plain, ...change })).toBe(isAsked);
});

test("[SE63] an order is cut by count and by bytes, from its end", () => {
  expect(takeOrder(Array.from({ length: 50 }, () => plain))).toHaveLength(maxReviewCount);
  const large = { ...plain, groups: Array.from({ length: 12 }, () => "g".repeat(1_024)) };
  expect(takeOrder(Array.from({ length: 20 }, () => large))).toHaveLength(10);
});
