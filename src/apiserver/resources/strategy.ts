// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../../base/random.ts";
import type { Subject } from "../../model/subject.ts";
import { copyJson, type DraftObject, deleteKey, getKey, type JsonObject, setKey } from "../json/json.ts";
import type { FieldError } from "../status/field-error.ts";
import type { ObjectReader } from "./object-reader.ts";

/** The context of a write. */
export interface WriteContext {
  readonly nowMs: number;
  readonly random: Random;
  readonly userName: string;
  /** The complete user. Absent if only the name is known. */
  readonly user?: Subject;
  /** Nothing is stored. Some refusals have different messages then. False by default. */
  readonly isDryRun?: boolean;
  /**
   * Objects of the same logical cluster, for writes that depend on others: free addresses, classes, service accounts.
   */
  readonly objects: ObjectReader;
}

/**
 * The rules of one kind. All functions get whole decoded objects at the served version; those that get a draft may
 * change it. Metadata common to all kinds (names, labels, owner references, uid, generation, deletion) is handled by
 * src/apiserver/verbs.
 *
 * A create runs: setDefaults, prepareForCreate, validate. An update runs: setDefaults, prepareForUpdate, validate and
 * validateUpdate.
 */
export interface Strategy {
  /** Sets the API's defaults for absent fields. Idempotent. */
  readonly setDefaults?: (object: DraftObject) => void;
  /**
   * Drops fields that a client may not set at creation (by default the status) and sets the server's fields. Throws an
   * ApiError if admission refuses.
   */
  readonly prepareForCreate?: (object: DraftObject, context: WriteContext) => void;
  /** Restores fields that a client may not change (by default the status). */
  readonly prepareForUpdate?: (object: DraftObject, old: JsonObject, context: WriteContext) => void;
  readonly validate?: (object: JsonObject) => readonly FieldError[];
  /** Errors of the change from `old`, mainly of immutable fields. */
  readonly validateUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** Whether errors of the change precede those of the object. False by default. */
  readonly checksChangeFirst?: boolean;
  /**
   * Prepares a write to the status subresource. By default everything except status and metadata is restored from
   * `old`.
   */
  readonly prepareForStatusUpdate?: (object: DraftObject, old: JsonObject, nowMs: number) => void;
  readonly validateStatusUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** Errors of a write to the finalize subresource, for kinds that have one. */
  readonly validateFinalizeUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** Texts for Warning headers: deprecated fields, questionable values. */
  readonly warnings?: (object: JsonObject, old: JsonObject | undefined) => readonly string[];
  /**
   * The errors of a name; empty for a valid one. A prefix (generateName) may end in a dash. The default is a DNS
   * subdomain.
   */
  readonly nameErrors?: (name: string, isPrefix: boolean) => readonly string[];
  /**
   * Whether a PUT creates an absent object (Lease, Event, Endpoints, Service, LimitRange, RuntimeClass and RBAC). False
   * by default.
   */
  readonly allowsCreateOnUpdate?: boolean;
  /**
   * Whether a PUT without resourceVersion replaces any version. True by default for built-in kinds; false for custom
   * resources.
   */
  readonly allowsUnconditionalUpdate?: boolean;
  /**
   * Whether `metadata.generation` counts changes of the desired state. False by default: most kinds without a status
   * have none.
   */
  readonly countsGenerations?: boolean;
  /**
   * Whether a completed delete responds with the object instead of a Status (Pods, Services, ServiceAccounts, volumes
   * and a few more).
   */
  readonly returnsDeleted?: boolean;
  /** Why objects of this kind cannot be created, as a sentence. Checked after all other rules. */
  readonly refusal?: string;
  /**
   * Values of the kind's field selectors, except metadata.name and metadata.namespace. The object has its stored shape.
   */
  readonly selectableFields?: (stored: JsonObject) => Readonly<Record<string, string>>;
  /** Names of the fields in `selectableFields`. */
  readonly selectableFieldNames?: readonly string[];
  /**
   * Whether preparing allocates from a range that all objects of the kind share (addresses, ports). Writes are then
   * serialised. False by default.
   */
  readonly drawsFromShared?: boolean;
  /**
   * Changes an object at its first delete (finalizers, a condition, a phase). Throws an ApiError if the kind refuses.
   * `time` is RFC 3339.
   */
  readonly prepareForDelete?: (object: DraftObject, time: string) => void;
  /**
   * The grace period of a deletion in seconds. `requested` is the client's, or undefined. 0 by default: removed at
   * once.
   */
  readonly graceSeconds?: (object: JsonObject, requested: number | undefined) => number;
  /** Propagation of a delete without a policy. `background` by default; Jobs and ReplicationControllers orphan. */
  readonly defaultPropagation?: "background" | "orphan";
}

/** For `prepareForStatusUpdate`: takes only the status from the client, not even labels. */
export function takeOnlyStatus(object: DraftObject, old: JsonObject): void {
  const status = getKey(object, "status");
  for (const key of Object.keys(object)) deleteKey(object, key);
  for (const key of Object.keys(old)) if (key !== "status") setKey(object, key, copyJson(old[key] ?? null));
  if (status !== undefined) setKey(object, "status", status);
}
