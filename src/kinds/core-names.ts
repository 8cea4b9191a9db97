// SPDX-License-Identifier: Apache-2.0

/** Resources of the core group that have no file of their own; the group has got no other since 2018. */
export const coreNames: readonly string[] = [
  "componentstatuses",
  "endpoints",
  "limitranges",
  "podtemplates",
  "replicationcontrollers",
  "resourcequotas",
  "serviceaccounts",
];
