// SPDX-License-Identifier: Apache-2.0
import { type ClusterClient, createClusterClient, isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import type { ApiCluster } from "../../apiserver/verbs/api-cluster.ts";
import { bindPod } from "../../apiserver/verbs/bind-pod.ts";
import { assert } from "../../base/assert.ts";
import type { Subject } from "../../model/subject.ts";

/** The client of the simulated controllers and kubelets. */
export interface PlaygroundClient extends ClusterClient {
  /**
   * Binds a Pod to a node through the binding subresource; an update cannot set a Pod's node. False if the Pod is gone,
   * terminating or already bound.
   */
  bindPod(namespace: string, name: string, node: string): Promise<boolean>;
}

/** A client that writes as this user. */
export function createPlaygroundClient(cluster: ApiCluster, user: Subject): PlaygroundClient {
  return {
    ...createClusterClient(cluster, user),
    async bindPod(namespace, name, node) {
      const resource = cluster.resources.findStored("pods");
      assert(resource !== undefined, "every cluster serves Pods");
      try {
        await bindPod(cluster, { resource, namespace, name, user }, { target: { name: node } }, false);
        return true;
      } catch (reason) {
        if (isRefusal(reason, "NotFound") || isRefusal(reason, "Conflict")) return false;
        throw reason;
      }
    },
  };
}
