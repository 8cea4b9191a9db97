// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ChangeSchema } from "../../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { type ChangesUpdate, ChangesUpdateSchema } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { createChance } from "./sample-fleet.ts";

const kinds = ["pods", "apps/deployments", "services", "networking.istio.io/virtualservices", "configmaps"];
const namespaces = ["checkout", "search", "monitoring", "istio-system"];
const apps = ["api", "frontend", "worker", "gateway"];
const whats = ["changed", "changed", "changed", "added", "removed"];
const statuses = ["healthy", "healthy", "healthy", "progressing", "unhealthy"];

/**
 * Creates `count` changes some seconds apart, the newest last, just before `wallMs`. The same count gives the same
 * names.
 */
export function createSampleChanges(count: number, wallMs: number): ChangesUpdate {
  const chance = createChance(count);
  const pick = (words: readonly string[]): string => words[Math.floor(chance() * words.length)] ?? "";
  const changes = Array.from({ length: count }, (_, index): MessageInitShape<typeof ChangeSchema> => {
    const [resource, what] = [pick(kinds), pick(whats)];
    return {
      clusterId: `prod-${pick(["eu-1", "us-east"])}-${String(Math.floor(chance() * 40)).padStart(3, "0")}`,
      resource,
      namespace: pick(namespaces),
      name: `${pick(apps)}-${Math.floor(chance() * 0xff_ffff).toString(16)}`,
      what,
      status: what === "removed" || resource === "configmaps" ? "" : pick(statuses),
      receivedAt: timestampFromMs(wallMs - (count - index) * 3_700),
    };
  });
  return create(ChangesUpdateSchema, { changes });
}
