// SPDX-License-Identifier: Apache-2.0
import { ensureObject } from "../../../apiserver/json/json.ts";
import { countOf, textOf, valueAt } from "../../../apiserver/json/json-fields.ts";
import { formatTime } from "../../../apiserver/schema-decode/go-time.ts";
import { setCondition } from "../object-conditions.ts";
import type { ControllerContext, PlaygroundController } from "../playground-controller.ts";
import { updateStatus } from "../update-status.ts";

const helmReleases = "helm.toolkit.fluxcd.io/helmreleases";

/** Flux HelmReleases: a new release for each change of the spec. */
export function createHelmReleaseController({ client, clock }: ControllerContext): PlaygroundController {
  return {
    name: "helmrelease",
    resource: helmReleases,
    async reconcile({ namespace, name }) {
      const object = client.objects.get(helmReleases, namespace, name);
      if (object === undefined || valueAt(object, "spec", "suspend") === true) return {};
      const generation = countOf(object, "metadata", "generation");
      if (countOf(object, "status", "observedGeneration") === generation) return {};
      const nowMs = clock.wallMs();
      const chart = textOf(object, "spec", "chart", "spec", "chart");
      const version = textOf(object, "spec", "chart", "spec", "version");
      const releaseName = textOf(object, "spec", "releaseName") || name;
      const targetNamespace = textOf(object, "spec", "targetNamespace") || namespace;
      const action = generation === 1 ? "install" : "upgrade";
      const reason = generation === 1 ? "InstallSucceeded" : "UpgradeSucceeded";
      const message = `Helm ${action} succeeded for release ${targetNamespace}/${releaseName}.v${generation} with chart ${chart}@${version}`;
      await updateStatus(client, helmReleases, object, (draft) => {
        const status = ensureObject(draft, "status");
        status["observedGeneration"] = generation;
        status["lastAttemptedRevision"] = version;
        status["lastAttemptedGeneration"] = generation;
        status["history"] = [
          {
            name: releaseName,
            namespace: targetNamespace,
            version: generation,
            status: "deployed",
            chartName: chart,
            chartVersion: version,
            firstDeployed: formatTime(nowMs),
            lastDeployed: formatTime(nowMs),
          },
        ];
        for (const type of ["Ready", "Released"])
          setCondition(draft, { type, status: "True", reason, message }, nowMs, {
            more: { observedGeneration: generation },
          });
      });
      return {};
    },
  };
}
