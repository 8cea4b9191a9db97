// SPDX-License-Identifier: Apache-2.0
import { copyJson, type DraftObject, ensureObject, getKey, type JsonObject } from "../../json/json.ts";
import { listAt, objectsAt, textOf, valueAt } from "../../json/json-fields.ts";
import { generateName } from "../../metadata/generate-name.ts";
import type { WriteContext } from "../../resources/strategy.ts";
import { mirrorServiceAccount } from "../pod-spec/pod-spec-defaults.ts";
import { refusedByAdmission } from "./admission-refusal.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const volumePrefix = "kube-api-access-";

/**
 * Lifetime of the token. kube-apiserver recognizes tokens that it mounted itself by this number, an hour and 7 seconds.
 */
const tokenSeconds = 3607;

const tokenSources: readonly JsonObject[] = [
  { serviceAccountToken: { expirationSeconds: tokenSeconds, path: "token" } },
  { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
  {
    downwardAPI: {
      items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
    },
  },
];

/**
 * Sets the service account of a new Pod, and mounts its token and adds its pull secrets. Throws an ApiError if the
 * account does not exist.
 */
export function admitServiceAccount(pod: DraftObject, { objects, random }: WriteContext): void {
  const spec = ensureObject(pod, "spec");
  if (valueAt(pod, "metadata", "annotations", "kubernetes.io/config.mirror") !== undefined) {
    if (textOf(spec, "serviceAccountName") !== "")
      throw refusedByAdmission("pods", pod, "a mirror pod may not reference service accounts");
    return;
  }
  const name = textOf(spec, "serviceAccountName") || "default";
  spec["serviceAccountName"] = name;
  mirrorServiceAccount(spec);
  const namespace = textOf(pod, "metadata", "namespace");
  const account = objects.get("serviceaccounts", namespace, name);
  if (account === undefined)
    throw refusedByAdmission(
      "pods",
      pod,
      `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    );
  const mounts =
    getKey(spec, "automountServiceAccountToken") ?? getKey(account, "automountServiceAccountToken") ?? true;
  if (mounts === true) mountToken(spec, () => generateName(volumePrefix, random));
  const pullSecrets = listAt(account, "imagePullSecrets") ?? [];
  if (objectsAt(spec, "imagePullSecrets").length === 0 && pullSecrets.length > 0)
    spec["imagePullSecrets"] = copyJson(pullSecrets);
}

/** Mounts the token in each container that mounts nothing at its path. */
function mountToken(spec: DraftObject, makeName: () => string): void {
  const volumes = objectsAt(spec, "volumes");
  const present = volumes.find((volume) => textOf(volume, "name").startsWith(volumePrefix));
  const name = present === undefined ? makeName() : textOf(present, "name");
  let isNeeded = false;
  for (const list of ["initContainers", "containers"])
    for (const container of objectsAt(spec, list)) {
      const mounted = objectsAt(container, "volumeMounts");
      if (mounted.some((mount) => textOf(mount, "mountPath") === mountPath)) continue;
      container["volumeMounts"] = [...mounted, { name, readOnly: true, mountPath }];
      isNeeded = true;
    }
  if (present !== undefined || !isNeeded) return;
  spec["volumes"] = [...volumes, { name, projected: { sources: copyJson(tokenSources), defaultMode: 0o644 } }];
}
