// SPDX-License-Identifier: Apache-2.0
export { FleetTables, type IndexedCluster } from "../fold/fleet-tables.ts";
