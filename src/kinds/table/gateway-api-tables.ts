// SPDX-License-Identifier: Apache-2.0
// Kinds of the Gateway API with columns of their own, as in the definitions that it ships. TLSRoutes and TCPRoutes have
// a name and an age.
import { customText } from "./custom-text.ts";
import { createRowTable, customAgeColumn, nameColumn, textColumn } from "./printed-columns.ts";
import { listIn } from "./row-values.ts";

/** GatewayClasses. */
export const gatewayClassTable = createRowTable([
  nameColumn,
  customText("Controller", "controller"),
  customText("Accepted", "accepted"),
  customAgeColumn,
  { ...customText("Description", "description"), priority: 1 },
]);

/** Gateways. Of several addresses a table shows the first. */
export const gatewayTable = createRowTable([
  nameColumn,
  customText("Class", "class"),
  textColumn("Address", (row) => listIn(row, "addresses")?.[0] ?? null),
  customText("Programmed", "programmed"),
  customAgeColumn,
]);

/** HTTPRoutes and GRPCRoutes. */
export const hostnameRouteTable = createRowTable([nameColumn, customText("Hostnames", "hostnames"), customAgeColumn]);
