// SPDX-License-Identifier: Apache-2.0
import type { KnownDifference } from "./apply-known-differences.ts";

const descriptions =
  "what a column means is prose of Kubernetes' own, which is not copied; kubectl shows it nowhere but in `get -o json` of a Table";
const diffs = "the real server ends this sentence with a diff of its inner structs";

/**
 * Where our server answers differently, with the reason. The list only shrinks: an entry that no difference needs fails
 * the suite.
 */
export const knownDifferences: readonly KnownDifference[] = [
  {
    scenario: "*",
    step: "*",
    path: "*metadata.managedFields",
    reason: "managedFields come with server-side apply",
  },
  {
    scenario: "aggregated-discovery",
    step: "groups, v2beta1",
    path: "*",
    reason: "kubectl 1.27 to 1.29 asks for this version only, which 1.36 no longer serves",
  },
  {
    scenario: "server-facts",
    step: "index of OpenAPI v3",
    path: 'body."paths.api*',
    reason: "the documents about discovery itself have no use: no client reads them",
  },
  {
    scenario: "not-enforced",
    step: "create *",
    path: "*",
    reason: "quotas, webhooks and policies are not enforced yet, so none can be created",
  },
  { scenario: "*", step: "*", path: "body*columnDefinitions[*].description", reason: descriptions },
  {
    scenario: "daily-tables",
    step: "daemon sets",
    path: "body.rows[0].object.metadata.annotations",
    reason: "the real server makes rows of its inner form, which has this annotation as a field of the spec",
  },
  { scenario: "immutable-fields", step: "its *", path: "body.message", reason: diffs },
  { scenario: "immutable-fields", step: "its *", path: "body.details.causes[0].message", reason: diffs },
];
