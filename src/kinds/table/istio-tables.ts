// SPDX-License-Identifier: Apache-2.0
// Istio's kinds with columns of their own. Columns and their order are those of the definitions that Istio ships; its
// other kinds have a name and an age.
import { customText } from "./custom-text.ts";
import { createRowTable, customAgeColumn, nameColumn } from "./printed-columns.ts";

/** VirtualServices. */
export const virtualServiceTable = createRowTable([
  nameColumn,
  customText("Gateways", "gateways"),
  customText("Hosts", "hosts"),
  customAgeColumn,
]);

/** DestinationRules. */
export const destinationRuleTable = createRowTable([nameColumn, customText("Host", "host"), customAgeColumn]);

/** ServiceEntries. */
export const serviceEntryTable = createRowTable([
  nameColumn,
  customText("Hosts", "hosts"),
  customText("Location", "location"),
  customText("Resolution", "resolution"),
  customAgeColumn,
]);

/** PeerAuthentications. */
export const peerAuthenticationTable = createRowTable([nameColumn, customText("Mode", "mode"), customAgeColumn]);

/** AuthorizationPolicies. */
export const authorizationPolicyTable = createRowTable([nameColumn, customText("Action", "action"), customAgeColumn]);

/** Control planes, which are no objects of the cluster (KI16): our own columns. */
export const controlPlaneTable = createRowTable([
  nameColumn,
  customText("Revision", "revision"),
  customText("Version", "version"),
  customAgeColumn,
  { ...customText("Root Namespace", "rootNamespace"), priority: 1 },
  { ...customText("Cluster Id", "clusterId"), priority: 1 },
]);
