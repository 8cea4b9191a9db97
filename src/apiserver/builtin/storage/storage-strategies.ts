// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { csiDriverStrategy } from "./csi-driver.ts";
import { csiNodeStrategy } from "./csi-node.ts";
import { csiStorageCapacityStrategy } from "./csi-storage-capacity.ts";
import { storageClassStrategy } from "./storage-class.ts";
import { volumeAttachmentStrategy } from "./volume-attachment.ts";

/** The resources of the group `storage.k8s.io`. */
export const storageStrategies: ReadonlyMap<string, Strategy> = new Map([
  ["storageclasses", storageClassStrategy],
  ["csidrivers", csiDriverStrategy],
  ["csinodes", csiNodeStrategy],
  ["csistoragecapacities", csiStorageCapacityStrategy],
  ["volumeattachments", volumeAttachmentStrategy],
]);
