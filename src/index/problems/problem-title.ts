// SPDX-License-Identifier: Apache-2.0
import type { Problem, ProblemKindCount } from "./problem.ts";

/**
 * One line for a problem: `ImagePullBackOff shop/api:1.4: 37 Pods, 9 clusters` (PB6). It counts objects of the kind that
 * has the reason.
 */
export function problemTitle(problem: Problem): string {
  const { reason, kind, image, template, clusterCount, resource, rootCount, roots } = problem;
  const counted = problem.kindCounts.find((each) => each.resource === resource) ?? { resource, kind, count: 0 };
  const onlyName = rootCount === 1 ? (roots[0]?.name ?? "") : "";
  const subject = [reason || problem.status, image || template || onlyName].filter((each) => each !== "");
  const counts = [
    `${counted.count} ${counted.count === 1 ? kind : pluralKind(counted)}`,
    `${clusterCount} ${clusterCount === 1 ? "cluster" : "clusters"}`,
  ];
  return `${subject.join(" ")}: ${counts.join(", ")}`;
}

/** `Pods`, `Ingresses`, `NetworkPolicies`: the kind with the ending of its resource, which is its plural. */
function pluralKind({ resource, kind }: Pick<ProblemKindCount, "resource" | "kind">): string {
  const plural = resource.slice(resource.indexOf("/") + 1);
  const singular = kind.toLowerCase();
  let same = 0;
  while (same < singular.length && plural[same] === singular[same]) same += 1;
  return same < singular.length - 1 ? `${kind}s` : kind.slice(0, same) + plural.slice(same);
}
