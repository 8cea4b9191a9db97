// SPDX-License-Identifier: Apache-2.0

/** What is said to somebody who may see no cluster (PG34). */
export function noAccessWords({ user, groups }: { readonly user: string; readonly groups: readonly string[] }): {
  readonly title: string;
  readonly sentence: string;
} {
  const as = groups.length === 0 ? `${user}, who is in no group` : `${user}, of ${groups.join(", ")}`;
  return {
    title: "Permission denied",
    sentence: `You are logged in as ${as}, and may not list the clusters of this hub. An administrator can give you a token of the group flotilla:viewers.`,
  };
}
