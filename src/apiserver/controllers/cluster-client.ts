// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import { copyJson, type DraftObject, type JsonObject } from "../json/json.ts";
import type { Propagation } from "../request/delete-options.ts";
import type { ObjectFeed } from "../resources/object-reader.ts";
import type { Resource } from "../resources/resource.ts";
import { ApiError, noSuchResource } from "../status/api-error.ts";
import type { ApiCluster, ObjectTarget } from "../verbs/api-cluster.ts";
import { createObject } from "../verbs/create-object.ts";
import { deleteObject } from "../verbs/delete-object.ts";
import { updateObject, type WrittenPart } from "../verbs/update-object.ts";

/** The key of an object. `resource` is the text of a resource id (CO2): `pods`, `apps/deployments`. */
export interface ObjectRef {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ClientDeleteOptions {
  /** Deletes only the object with this uid. */
  readonly uid?: string;
  /** Deletes only if the object is unchanged. */
  readonly resourceVersion?: string;
  readonly propagation?: Propagation;
  readonly graceSeconds?: number;
}

/**
 * Reads and writes of controllers in the process. Reads come from memory; writes follow the same rules as requests. A
 * write resolves when it is visible to reads. It rejects with the ApiError that a client would get.
 */
export interface ClusterClient {
  readonly objects: ObjectFeed;
  /** Creates an object in the namespace of its metadata. */
  create(resource: string, object: DraftObject): Promise<JsonObject>;
  /**
   * Changes the newest object by a function that may be called again. Writes nothing if nothing changed. Resolves with
   * undefined if the object does not exist.
   */
  update(ref: ObjectRef, change: (object: DraftObject) => void, part?: WrittenPart): Promise<JsonObject | undefined>;
  /** Deletes the object. Resolves with false if it does not exist or fails a precondition. */
  delete(ref: ObjectRef, options?: ClientDeleteOptions): Promise<boolean>;
}

/** Creates a client that writes as this user. */
export function createClusterClient(cluster: ApiCluster, user: Subject): ClusterClient {
  const find = (resource: string): Resource => {
    const found = cluster.resources.findStored(resource);
    if (found === undefined) throw noSuchResource();
    return found;
  };
  const targetOf = ({ resource, namespace, name }: ObjectRef): ObjectTarget => ({
    resource: find(resource),
    namespace,
    name,
    user,
  });
  return {
    objects: cluster.cache,
    create(resource, object) {
      const { metadata } = object as { readonly metadata?: { readonly namespace?: string } };
      const target = targetOf({ resource, namespace: metadata?.namespace ?? "", name: "" });
      return createObject(cluster, target, copyJson(object), { isDryRun: false });
    },
    async update(ref, change, part = "") {
      try {
        const { object } = await updateObject(cluster, {
          target: targetOf(ref),
          part,
          isDryRun: false,
          mayCreate: false,
          change: (old) => {
            const draft = copyJson(old ?? {});
            change(draft);
            return draft;
          },
        });
        return object;
      } catch (reason) {
        if (isRefusal(reason, "NotFound")) return undefined;
        throw reason;
      }
    },
    async delete(ref, { uid, resourceVersion, propagation, graceSeconds } = {}) {
      try {
        await deleteObject(cluster, targetOf(ref), {
          isDryRun: false,
          graceSeconds,
          propagation,
          isOrphanDependentsFalse: false,
          uid,
          resourceVersion,
        });
        return true;
      } catch (reason) {
        const isConditional = uid !== undefined || resourceVersion !== undefined;
        if (isRefusal(reason, "NotFound") || (isConditional && isRefusal(reason, "Conflict"))) return false;
        throw reason;
      }
    },
  };
}

/** Whether the error is a refusal with that reason. */
export function isRefusal(reason: unknown, statusReason: ApiError["reason"]): boolean {
  return reason instanceof ApiError && reason.reason === statusReason;
}
