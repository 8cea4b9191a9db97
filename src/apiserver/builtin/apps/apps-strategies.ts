// SPDX-License-Identifier: Apache-2.0
import type { Strategy } from "../../resources/strategy.ts";
import { controllerRevisionStrategy } from "./controller-revision.ts";
import { daemonSetStrategy } from "./daemon-set.ts";
import { deploymentStrategy } from "./deployment.ts";
import { replicaSetStrategy } from "./replica-set.ts";
import { statefulSetStrategy } from "./stateful-set.ts";

/** The resources of the group `apps`. */
export const appsStrategies: ReadonlyMap<string, Strategy> = new Map([
  ["deployments", deploymentStrategy],
  ["replicasets", replicaSetStrategy],
  ["statefulsets", statefulSetStrategy],
  ["daemonsets", daemonSetStrategy],
  ["controllerrevisions", controllerRevisionStrategy],
]);
