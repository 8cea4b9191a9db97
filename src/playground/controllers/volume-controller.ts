// SPDX-License-Identifier: Apache-2.0
import { isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { copyJson, type DraftObject, ensureObject, type JsonObject } from "../../apiserver/json/json.ts";
import { listAt, objectAt, objectsAt, textOf, textsAt, valueAt } from "../../apiserver/json/json-fields.ts";
import { isTerminating, nameOf, namespaceOf, uidOf } from "./object-parts.ts";
import type { ControllerContext, PlaygroundController } from "./playground-controller.ts";
import { isFinished } from "./pod-facts.ts";
import { updateStatus } from "./update-status.ts";

const claims = "persistentvolumeclaims";
const volumes = "persistentvolumes";
const claimProtection = "kubernetes.io/pvc-protection";
const volumeProtection = "kubernetes.io/pv-protection";

/**
 * PersistentVolumeClaims: provisions a volume for each. A deleted claim is removed once no Pod uses it, and its volume
 * follows.
 */
export function createClaimController(context: ControllerContext): PlaygroundController {
  const { client, events } = context;
  return {
    name: "claim",
    resource: claims,
    watches: {
      pods: ({ type, namespace, object }) =>
        type === "DELETED" ? claimsOfPod(object).map((name) => `${namespace}/${name}`) : [],
      [volumes]: ({ object }) => [
        `${textOf(object, "spec", "claimRef", "namespace")}/${textOf(object, "spec", "claimRef", "name")}`,
      ],
    },
    async reconcile({ namespace, name }) {
      const claim = client.objects.get(claims, namespace, name);
      if (claim === undefined) return {};
      const ref = { resource: claims, namespace, name };
      if (isTerminating(claim)) {
        const isUsed = client.objects
          .list("pods", namespace)
          .some((pod) => !isFinished(pod) && claimsOfPod(pod).includes(name));
        if (!isUsed) await client.update(ref, (draft) => dropFinalizer(draft, claimProtection));
        return {};
      }
      if (textOf(claim, "status", "phase") === "Bound") return {};
      const volumeName = textOf(claim, "spec", "volumeName") || `pvc-${uidOf(claim)}`;
      await ensureVolume(context, claim, volumeName);
      const bound = await client.update(ref, (draft) => {
        ensureObject(draft, "spec")["volumeName"] = volumeName;
        const annotations = ensureObject(ensureObject(draft, "metadata"), "annotations");
        annotations["pv.kubernetes.io/bind-completed"] = "yes";
        annotations["pv.kubernetes.io/bound-by-controller"] = "yes";
      });
      if (bound === undefined) return {};
      await updateStatus(client, claims, bound, (draft) => {
        draft["status"] = {
          phase: "Bound",
          accessModes: [...textsAt(claim, "spec", "accessModes")],
          capacity: copyJson(objectAt(claim, "spec", "resources", "requests") ?? {}),
        };
      });
      await events.record(
        { apiVersion: "v1", kind: "PersistentVolumeClaim", object: claim },
        {
          type: "Normal",
          reason: "ProvisioningSucceeded",
          message: `Successfully provisioned volume ${volumeName}`,
          component: "playground-provisioner",
        },
      );
      return {};
    },
  };
}

/** PersistentVolumes: bound while their claim exists; afterwards deleted or released, by their reclaim policy. */
export function createVolumeController({ client }: ControllerContext): PlaygroundController {
  return {
    name: "volume",
    resource: volumes,
    watches: {
      [claims]: ({ object }) => {
        const volume = textOf(object, "spec", "volumeName");
        return volume === "" ? [] : [`/${volume}`];
      },
    },
    async reconcile({ name }) {
      const volume = client.objects.get(volumes, "", name);
      if (volume === undefined) return {};
      const claimRef = objectAt(volume, "spec", "claimRef") ?? {};
      const claim = client.objects.get(claims, textOf(claimRef, "namespace"), textOf(claimRef, "name"));
      const isClaimed = claim !== undefined && uidOf(claim) === textOf(claimRef, "uid");
      if (isTerminating(volume)) {
        if (!isClaimed)
          await client.update({ resource: volumes, namespace: "", name }, (draft) =>
            dropFinalizer(draft, volumeProtection),
          );
        return {};
      }
      const wasBound = textOf(volume, "status", "phase") === "Bound";
      const phase = isClaimed ? "Bound" : wasBound || textOf(claimRef, "uid") !== "" ? "Released" : "Available";
      await updateStatus(client, volumes, volume, (draft) => {
        ensureObject(draft, "status")["phase"] = phase;
      });
      if (phase === "Released" && textOf(volume, "spec", "persistentVolumeReclaimPolicy") === "Delete")
        await client.delete({ resource: volumes, namespace: "", name }, { uid: uidOf(volume) });
      return {};
    },
  };
}

function claimsOfPod(pod: JsonObject): readonly string[] {
  return objectsAt(pod, "spec", "volumes").flatMap((each) => {
    const name = textOf(each, "persistentVolumeClaim", "claimName");
    return name === "" ? [] : [name];
  });
}

function dropFinalizer(draft: DraftObject, finalizer: string): void {
  const metadata = ensureObject(draft, "metadata");
  const kept = (listAt(metadata, "finalizers") ?? []).filter((each) => each !== finalizer);
  if (kept.length === 0) delete metadata["finalizers"];
  else metadata["finalizers"] = kept;
}

async function ensureVolume({ client }: ControllerContext, claim: JsonObject, name: string): Promise<void> {
  if (client.objects.get(volumes, "", name) !== undefined) return;
  const storageClassName = textOf(claim, "spec", "storageClassName");
  const requests = objectAt(claim, "spec", "resources", "requests") ?? {};
  try {
    await client.create(
      volumes,
      copyJson({
        metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": "playground.flotilla.dev/provisioner" } },
        spec: {
          capacity: { storage: valueAt(requests, "storage") ?? "1Gi" },
          accessModes: valueAt(claim, "spec", "accessModes") ?? ["ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Delete",
          ...(storageClassName === "" ? {} : { storageClassName }),
          volumeMode: textOf(claim, "spec", "volumeMode") || "Filesystem",
          hostPath: { path: `/var/lib/playground/${name}`, type: "" },
          claimRef: {
            kind: "PersistentVolumeClaim",
            namespace: namespaceOf(claim),
            name: nameOf(claim),
            uid: uidOf(claim),
            apiVersion: "v1",
          },
        },
      }),
    );
  } catch (reason) {
    if (!isRefusal(reason, "AlreadyExists")) throw reason;
  }
}
