// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../../base/random.ts";
import type { Subject } from "../../model/subject.ts";
import type { DraftObject, JsonObject } from "../json/json.ts";
import type { FieldError } from "../status/field-error.ts";
import type { ObjectReader } from "./object-reader.ts";

/** What a write may know besides the object itself. */
export interface WriteContext {
  readonly nowMs: number;
  readonly random: Random;
  readonly userName: string;
  /** Who writes, whole. Absent where only the name is known. */
  readonly user?: Subject;
  /** Nothing is kept; some refusals have other words then. False by default. */
  readonly isDryRun?: boolean;
  /** Objects of the same logical cluster, for what depends on others: free addresses, classes, service accounts. */
  readonly objects: ObjectReader;
}

/**
 * What is particular to one kind. All functions get whole objects, decoded, at the served version; those that get a draft may change it. Metadata that all kinds
 * share (names, labels, owner references, uid, generation, deletion) is not their concern: src/apiserver/verbs does it.
 *
 * A create runs: setDefaults, prepareForCreate, validate. An update runs: setDefaults, prepareForUpdate, validate and validateUpdate.
 */
export interface Strategy {
  /** Fills what the API fills in where the client said nothing. Applying it twice is applying it once. */
  readonly setDefaults?: (object: DraftObject) => void;
  /** Drops what a client may not set at creation (status, by default) and sets what the server sets; throws an ApiError where admission refuses. */
  readonly prepareForCreate?: (object: DraftObject, context: WriteContext) => void;
  /** Carries over what a client may not change (status, by default). */
  readonly prepareForUpdate?: (object: DraftObject, old: JsonObject, context: WriteContext) => void;
  readonly validate?: (object: JsonObject) => readonly FieldError[];
  /** What the change from `old` breaks: immutable fields above all. */
  readonly validateUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** What a change breaks is told before what is wrong with the object. False by default. */
  readonly checksChangeFirst?: boolean;
  /** The status subresource: by default everything but status and metadata's few writable parts is carried over from `old`. */
  readonly prepareForStatusUpdate?: (object: DraftObject, old: JsonObject, nowMs: number) => void;
  readonly validateStatusUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** The finalize subresource, of the kinds that have one. */
  readonly validateFinalizeUpdate?: (object: JsonObject, old: JsonObject) => readonly FieldError[];
  /** Texts for Warning headers: deprecated fields, doubtful values. */
  readonly warnings?: (object: JsonObject, old: JsonObject | undefined) => readonly string[];
  /** What is wrong with a name; empty when it is fine. A prefix (generateName) may end in a dash. The default is a DNS subdomain. */
  readonly nameErrors?: (name: string, isPrefix: boolean) => readonly string[];
  /** PUT of an object that does not exist creates it (Lease, Event, Endpoints, Service, LimitRange, RuntimeClass and RBAC). False by default. */
  readonly allowsCreateOnUpdate?: boolean;
  /** PUT without resourceVersion replaces whatever is there. True by default for built-ins; false for custom resources. */
  readonly allowsUnconditionalUpdate?: boolean;
  /** `metadata.generation` counts changes of the desired state. False by default: most kinds without a status have none. */
  readonly countsGenerations?: boolean;
  /** The answer to a finished delete is the object itself, not a Status (Pods, Services, ServiceAccounts, volumes and a few more). */
  readonly returnsDeleted?: boolean;
  /** Why no object of this kind can be created here yet, as a sentence. Asked once everything else is right with the object. */
  readonly refusal?: string;
  /** Values of the field selectors that this kind has besides metadata.name and metadata.namespace. The object is in the shape that is stored. */
  readonly selectableFields?: (stored: JsonObject) => Readonly<Record<string, string>>;
  /** Names of those fields. */
  readonly selectableFieldNames?: readonly string[];
  /** Preparing draws from what all objects of the kind share (addresses, ports): writes then go one after the other. False by default. */
  readonly drawsFromShared?: boolean;
  /** What the wish to delete an object adds to it (finalizers, a condition, a phase), the first time; throws an ApiError where the kind refuses. `time` is RFC 3339. */
  readonly prepareForDelete?: (object: DraftObject, time: string) => void;
  /** Seconds of grace a deletion gets when the client asks for `requested` (undefined: nothing said). 0 by default: gone at once. */
  readonly graceSeconds?: (object: JsonObject, requested: number | undefined) => number;
  /** Propagation when a delete names none. `background` by default; Jobs and ReplicationControllers orphan. */
  readonly defaultPropagation?: "background" | "orphan";
}
