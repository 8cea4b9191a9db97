// SPDX-License-Identifier: Apache-2.0

/** Resources of the core group that have no file of their own. The group has gained no other resource since 2018. */
export const coreResources: readonly string[] = [
  "componentstatuses",
  "endpoints",
  "limitranges",
  "podtemplates",
  "replicationcontrollers",
  "resourcequotas",
  "serviceaccounts",
];
