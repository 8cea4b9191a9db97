// SPDX-License-Identifier: Apache-2.0

/** The message for a viewer who may see no cluster (PG34). */
export function noAccessWords({ user, groups }: { readonly user: string; readonly groups: readonly string[] }): {
  readonly title: string;
  readonly sentence: string;
} {
  const as = groups.length === 0 ? `${user}, in no group` : `${user}, in ${groups.join(", ")}`;
  return {
    title: "Permission denied",
    sentence: `You are logged in as ${as}, without permission to list the clusters of this hub. An administrator can create a token with the group flotilla:viewers for you.`,
  };
}
