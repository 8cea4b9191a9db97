// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseApplicationSelector } from "./application-selector.ts";

test("[AG2] a selector names clusters, namespaces and kinds, and names if wanted", () => {
  expect(parseApplicationSelector("cluster:prod-*,east ns:shop kind:Deployment,po name:web")).toEqual({
    clusters: ["prod-*", "east"],
    namespaces: ["shop"],
    resources: ["apps/deployments", "pods"],
    names: ["web"],
  });
  expect(parseApplicationSelector("cluster=* namespace:in(a,b) kind:example.com/widgets")).toEqual({
    clusters: ["*"],
    namespaces: ["a", "b"],
    resources: ["example.com/widgets"],
    names: [],
  });
});

test.each([
  ["", "selector, column 1: a selector names cluster"],
  ["cluster:* kind:Pod", "a selector names namespace, such as ns:shop"],
  ["cluster:* ns:shop", "a selector names kind"],
  ["cluster:* ns:shop kind:Pod label.app=web", '"label.app" cannot be selected'],
  ["cluster:* ns:shop kind:Pod status:unhealthy", "selector, column 28"],
  ["cluster:* ns:shop-* kind:Pod", "must be a whole word"],
  ["cluster:* ns:shop kind:*", "must be a whole word"],
  ["cluster:* ns:shop kind:Unknown", 'there is no kind "Unknown"'],
  ["cluster:* ns!=shop kind:Pod", "compares with = alone"],
  ["cluster:* ns:a or ns:b", 'has no "or"'],
  ["cluster:* -ns:a", 'has no "not"'],
  ["cluster:* ns:a ns:b kind:Pod", "namespace is there twice"],
  ["cluster:* ns:a kind:Pod web", "no free text"],
  [`cluster:* kind:Pod ns:${Array.from({ length: 101 }, (_, at) => `n${at}`).join(",")}`, "more than 100 values"],
])("[AG2] %j is refused with its position", (text, sentence) => {
  expect(() => parseApplicationSelector(text)).toThrow(sentence);
});
