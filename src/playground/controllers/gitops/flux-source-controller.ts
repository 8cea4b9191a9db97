// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject } from "../../../apiserver/json/json.ts";
import { countOf, textAt, textOf, valueAt } from "../../../apiserver/json/json-fields.ts";
import { formatTime } from "../../../apiserver/schema-decode/go-time.ts";
import { setCondition } from "../object-conditions.ts";
import type { ControllerContext, PlaygroundController } from "../playground-controller.ts";
import { updateStatus } from "../update-status.ts";
import { branchAt } from "./git-history.ts";

/** Resource id of Flux's GitRepositories. */
export const gitRepositories = "source.toolkit.fluxcd.io/gitrepositories";

/** Flux GitRepositories: a new artifact for each new commit of the simulated branch. */
export function createFluxSourceController({ client, clock }: ControllerContext): PlaygroundController {
  return {
    name: "flux-source",
    resource: gitRepositories,
    async reconcile({ namespace, name }) {
      const source = client.objects.get(gitRepositories, namespace, name);
      if (source === undefined || valueAt(source, "spec", "suspend") === true) return {};
      const nowMs = clock.wallMs();
      const url = textOf(source, "spec", "url");
      const branchName = textAt(source, "spec", "ref", "branch") ?? "master";
      const branch = branchAt(`${url} ${branchName}`, nowMs);
      const revision = `${branchName}@sha1:${branch.commit}`;
      await updateStatus(client, gitRepositories, source, (draft) => {
        const status = ensureObject(draft, "status");
        if (textAt(status, "artifact", "revision") !== revision) {
          const path = `gitrepository/${namespace}/${name}/${branch.commit}.tar.gz`;
          const artifact: DraftObject = {
            revision,
            path,
            url: `http://source-controller.flux-system.svc.cluster.local./${path}`,
            digest: `sha256:${branch.commit}${branch.commit.slice(0, 24)}`,
            lastUpdateTime: formatTime(nowMs),
            size: 20_000 + (Number.parseInt(branch.commit.slice(0, 4), 16) % 9000),
          };
          status["artifact"] = artifact;
        }
        const observedGeneration = countOf(draft, "metadata", "generation");
        status["observedGeneration"] = observedGeneration;
        const message = `stored artifact for revision '${revision}'`;
        for (const type of ["Ready", "ArtifactInStorage"])
          setCondition(draft, { type, status: "True", reason: "Succeeded", message }, nowMs, {
            more: { observedGeneration },
          });
      });
      return { retryAfterMs: branch.nextInMs };
    },
  };
}
