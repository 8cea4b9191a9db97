// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { FieldReader } from "../../model/field-reader.ts";
import { importedKubeconfigs } from "../../store/tables.ts";

/** A cluster that the hub reaches itself. Contains credentials: never returned by an RPC, never logged (L18). */
export interface ImportRecord {
  /** Self-contained, with this one context. */
  readonly kubeconfig: string;
  readonly context: string;
  /** Key of the agent that runs beside the hub, as PKCS#8 PEM. */
  readonly privateKeyPem: string;
  readonly region: string;
  readonly environment: string;
  /** Why the cluster did not answer when it was imported; undefined when it answered. */
  readonly unreached?: Unreached | undefined;
  /** The object that declares the import; undefined for an import of a user. */
  readonly owner?: ImportOwner | undefined;
}

/** An object of a management cluster that declares an import (IN27). */
export interface ImportOwner {
  /** UID of the management cluster's kube-system namespace. */
  readonly management: string;
  readonly namespace: string;
  readonly name: string;
  /** UID of the object. */
  readonly uid: string;
}

/** True for the same object of the same management cluster. An object that was created again is another one. */
export function isSameOwner(a: ImportOwner | undefined, b: ImportOwner | undefined): boolean {
  return a !== undefined && a.management === b?.management && a.uid === b.uid;
}

/** Why the hub could not reach a cluster: the fault of a request, and a sentence. */
export interface Unreached {
  readonly fault: string;
  readonly detail: string;
}

/** The store key of an import. */
export function importKey(id: string): readonly string[] {
  return [...importPrefix, "", id];
}

/** The common prefix of all import keys. */
export const importPrefix: readonly string[] = [importedKubeconfigs.workspace, importedKubeconfigs.resource];

/** The record as the body of its row. */
export function toImportBody(record: ImportRecord): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(record));
}

/** Parses the output of `toImportBody`. Throws STORE_CORRUPT, without the text. */
export function fromImportBody(id: string, body: Uint8Array): ImportRecord {
  const fields = FieldReader.ofJson(new TextDecoder().decode(body));
  const unreached = fields.below("unreached");
  const fault = unreached?.text("fault");
  const owner = fields.below("owner");
  const record = {
    ...(owner === undefined ? {} : { owner: readOwner(owner) }),
    ...(fault === undefined ? {} : { unreached: { fault, detail: unreached?.text("detail") ?? "" } }),
    kubeconfig: fields.requiredText("kubeconfig"),
    context: fields.requiredText("context"),
    privateKeyPem: fields.requiredText("privateKeyPem"),
    region: fields.text("region") ?? "",
    environment: fields.text("environment") ?? "",
  };
  if (fields.mistakes.length === 0) return record;
  throw new FlotillaError("STORE_CORRUPT", `the stored kubeconfig of ${id} is corrupt; import the cluster again`, {
    ids: { cluster: id },
  });
}

function readOwner(fields: FieldReader): ImportOwner {
  return {
    management: fields.requiredText("management"),
    namespace: fields.requiredText("namespace"),
    name: fields.requiredText("name"),
    uid: fields.requiredText("uid"),
  };
}
