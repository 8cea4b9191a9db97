// SPDX-License-Identifier: Apache-2.0
import { type ControllerDeps, runController } from "../../controllers/run-controller.ts";
import { createAutoscalerController } from "./autoscaler-controller.ts";
import { createCronJobController } from "./cron-job-controller.ts";
import { createDaemonSetController } from "./daemon-set-controller.ts";
import { createDeploymentController } from "./deployment/deployment-controller.ts";
import { createDisruptionController } from "./disruption-controller.ts";
import { createEventExpiry } from "./event-expiry.ts";
import { EventRecorder } from "./event-recorder.ts";
import { createArgoApplicationController } from "./gitops/argo-application-controller.ts";
import { createFluxSourceController } from "./gitops/flux-source-controller.ts";
import { createHelmReleaseController } from "./gitops/helm-release-controller.ts";
import { createKustomizationController } from "./gitops/kustomization-controller.ts";
import { createVirtualServiceAnalysis } from "./gitops/virtual-service-analysis.ts";
import { createJobController } from "./job-controller.ts";
import { createKubeletController } from "./kubelet/kubelet-controller.ts";
import { createNamespaceDefaults } from "./namespace-defaults.ts";
import { createEviction } from "./node/eviction.ts";
import { createNodeController } from "./node/node-controller.ts";
import { createScheduler } from "./node/scheduler.ts";
import type { PlaygroundClient } from "./playground-client.ts";
import {
  type ControllerContext,
  combinePlaygroundControllers,
  type PlaygroundController,
} from "./playground-controller.ts";
import { createReplicaSetController, createReplicationController } from "./replica-set-controller.ts";
import { createServiceController } from "./service-controller.ts";
import { createStatefulSetController } from "./stateful-set-controller.ts";
import { createClaimController, createVolumeController } from "./volume-controller.ts";

const creators: readonly ((context: ControllerContext) => PlaygroundController)[] = [
  createNamespaceDefaults,
  createNodeController,
  createScheduler,
  createKubeletController,
  createEviction,
  createReplicaSetController,
  createReplicationController,
  createDeploymentController,
  createStatefulSetController,
  createDaemonSetController,
  createJobController,
  createCronJobController,
  createServiceController,
  createClaimController,
  createVolumeController,
  createFluxSourceController,
  createKustomizationController,
  createHelmReleaseController,
  createArgoApplicationController,
  createVirtualServiceAnalysis,
  createAutoscalerController,
  createDisruptionController,
  createEventExpiry,
];

/**
 * Runs controllers, scheduler and kubelets of a cluster from one queue until the signal aborts. They reconcile from the
 * cluster's state, so a restart continues where the last run stopped and writes nothing if there is nothing to do.
 * Garbage collection and namespace deletion are part of the API server.
 */
export async function runPlaygroundControllers(
  client: PlaygroundClient,
  deps: ControllerDeps,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = deps;
  const context: ControllerContext = { client, clock, events: new EventRecorder(client, clock) };
  const controllers = creators.map((create) => create(context));
  await runController(
    client.objects,
    combinePlaygroundControllers(client.objects, "playground", controllers),
    deps,
    signal,
  );
}
