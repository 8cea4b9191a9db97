// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createId } from "../base/id.ts";
import { createSeededRandom } from "../base/random.ts";
import { parseResourceId } from "./gvr.ts";
import { isLabelKey } from "./label-name.ts";
import { fleetApiGroup, flotillaMark, idPrefixes, metricPrefix } from "./names.ts";

test("[CO6] our names have the forms that Kubernetes and Prometheus take", () => {
  expect(isLabelKey(flotillaMark("cluster"))).toBe(true);
  expect(flotillaMark("cluster")).toBe("flotilla.dev/cluster");
  expect(parseResourceId(`${fleetApiGroup}/clusters`).group).toBe("fleet.flotilla.dev");
  expect(`${metricPrefix}x`).toMatch(/^flotilla_[a-z]/);
});

test("[CO7] an id is a prefix of the table and 16 to 40 letters and digits, and no prefix is used twice", () => {
  const prefixes = Object.values(idPrefixes);
  const random = createSeededRandom("names");
  for (const prefix of prefixes) expect(createId(prefix, random)).toMatch(/^[a-z]+_[a-z0-9]{16,40}$/);
  expect(new Set(prefixes).size).toBe(prefixes.length);
});
