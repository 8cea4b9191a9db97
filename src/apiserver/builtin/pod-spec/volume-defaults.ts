// SPDX-License-Identifier: Apache-2.0
import { type DraftObject } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { isSet, setIfAbsent, setIfEmpty } from "../checks/object-fields.ts";
import { defaultPullPolicy } from "./image-reference.ts";
import { setResourceDefaults } from "./quantity-value.ts";

/** Kubernetes' default mode of files in configMap, secret, downwardAPI and projected volumes. */
const defaultFileMode = 0o644;

/** Kubernetes' default lifetime of a projected token: one hour. */
const defaultTokenSeconds = 3600;

/** Sets the defaults of a Pod's volume. A volume without a source becomes an emptyDir. */
export function setVolumeDefaults(volume: DraftObject): void {
  const hasSource = Object.keys(volume).some((key) => key !== "name" && isSet(volume, key));
  if (!hasSource) volume["emptyDir"] = {};
  const image = objectAt(volume, "image");
  if (image !== undefined) setIfEmpty(image, "pullPolicy", defaultPullPolicy(textOf(image, "reference")));
  setDownwardDefaults(objectAt(volume, "downwardAPI"));
  for (const source of ["secret", "configMap", "downwardAPI", "projected"]) {
    const found = objectAt(volume, source);
    if (found !== undefined) setIfAbsent(found, "defaultMode", defaultFileMode);
  }
  setProjectionDefaults(objectAt(volume, "projected"));
  setStorageSourceDefaults(volume);
  const claim = objectAt(volume, "ephemeral", "volumeClaimTemplate", "spec");
  if (claim !== undefined) setClaimSpecDefaults(claim);
}

/** Sets the defaults of sources that volumes and PersistentVolumes share. */
export function setStorageSourceDefaults(holder: DraftObject): void {
  const hostPath = objectAt(holder, "hostPath");
  if (hostPath !== undefined) setIfAbsent(hostPath, "type", "");
  const iscsi = objectAt(holder, "iscsi");
  if (iscsi !== undefined) setIfEmpty(iscsi, "iscsiInterface", "default");
  const rbd = objectAt(holder, "rbd");
  if (rbd !== undefined) {
    setIfEmpty(rbd, "pool", "rbd");
    setIfEmpty(rbd, "user", "admin");
    setIfEmpty(rbd, "keyring", "/etc/ceph/keyring");
  }
  const azureDisk = objectAt(holder, "azureDisk");
  if (azureDisk !== undefined) {
    setIfAbsent(azureDisk, "cachingMode", "ReadWrite");
    setIfAbsent(azureDisk, "fsType", "ext4");
    setIfAbsent(azureDisk, "readOnly", false);
    setIfAbsent(azureDisk, "kind", "Shared");
  }
  const scaleIo = objectAt(holder, "scaleIO");
  if (scaleIo !== undefined) {
    setIfEmpty(scaleIo, "storageMode", "ThinProvisioned");
    setIfEmpty(scaleIo, "fsType", "xfs");
  }
}

/** Sets the defaults of the spec of a PersistentVolumeClaim or claim template. */
export function setClaimSpecDefaults(spec: DraftObject): void {
  setIfAbsent(spec, "volumeMode", "Filesystem");
  setResourceDefaults(objectAt(spec, "resources"));
}

/** Sets the default `apiVersion` of a reference to a field of the Pod. */
export function setFieldRefDefaults(fieldRef: DraftObject | undefined): void {
  if (fieldRef !== undefined) setIfEmpty(fieldRef, "apiVersion", "v1");
}

function setDownwardDefaults(downward: DraftObject | undefined): void {
  if (downward === undefined) return;
  for (const item of objectsAt(downward, "items")) setFieldRefDefaults(objectAt(item, "fieldRef"));
}

function setProjectionDefaults(projected: DraftObject | undefined): void {
  if (projected === undefined) return;
  for (const source of objectsAt(projected, "sources")) {
    setDownwardDefaults(objectAt(source, "downwardAPI"));
    const token = objectAt(source, "serviceAccountToken");
    if (token !== undefined) setIfAbsent(token, "expirationSeconds", defaultTokenSeconds);
  }
}
