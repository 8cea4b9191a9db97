// SPDX-License-Identifier: Apache-2.0
import type { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import type { Subject } from "../../model/subject.ts";
import type { Resource } from "../resources/resource.ts";
import type { ResourceRegistry } from "../resources/resource-registry.ts";
import { ApiError, methodNotAllowed, qualifiedName, type ResourceName } from "../status/api-error.ts";
import type { ObjectWriter } from "../storage/object-writer.ts";
import type { WatchSource } from "../storage/watch-cached.ts";

/** One logical cluster, as the verbs use it. */
export interface ApiCluster extends WatchSource {
  readonly writer: ObjectWriter;
  readonly resources: ResourceRegistry;
  /**
   * Serialises creates and updates that allocate from a shared range (addresses, ports), by resource. Each sees the
   * allocations of the ones before it.
   */
  readonly sharedDraws: KeyedMutex;
}

/** One object, existing or to be created. */
export interface ObjectTarget {
  readonly resource: Resource;
  /** Empty for cluster-wide resources. */
  readonly namespace: string;
  readonly name: string;
  readonly user: Subject;
}

/** The resource's name in refusals. */
export function resourceName({ facts }: Resource): ResourceName {
  return { group: facts.group, resource: facts.resource };
}

/**
 * The refusal of an unsupported verb. Built-in resources refuse the method; custom resources name the unsupported verb.
 */
export function verbNotAllowed(resource: Resource, verb: string): ApiError {
  if (!resource.isCustom) return methodNotAllowed();
  const { group, resource: plural } = resource.facts;
  const message = `${verb} is not supported on resources of kind "${qualifiedName({ group, resource: plural })}"`;
  return new ApiError(405, "MethodNotAllowed", message, { details: { group, kind: plural } });
}
