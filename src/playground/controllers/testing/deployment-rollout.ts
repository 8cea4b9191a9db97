// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, ensureObject, type JsonObject } from "../../../apiserver/json/json.ts";
import { countOf, objectsAt, textOf } from "../../../apiserver/json/json-fields.ts";
import { revisionAnnotation } from "../deployment/revisions.ts";
import { annotationOf, countAt } from "../object-parts.ts";
import { deploymentOf, type PlaygroundRig, templateOf } from "./playground-rig.ts";

export const deployments = "apps/deployments";

/** Sets another image in the template of `web`. */
export function setImage(image: string): (draft: DraftObject) => void {
  return (draft) => {
    ensureObject(draft, "spec")["template"] = templateOf("web", { image });
  };
}

/** The Deployment `web` of a rig, with queries for tests. */
export class Rollout {
  readonly #rig: PlaygroundRig;

  constructor(rig: PlaygroundRig) {
    this.#rig = rig;
  }

  current(): JsonObject {
    return this.#rig.get(deployments, "web") ?? {};
  }

  images(): readonly string[] {
    return this.#rig.pods().map((pod) => textOf(objectsAt(pod, "spec", "containers")[0] ?? {}, "image"));
  }

  revisions(): ReadonlySet<string | undefined> {
    return new Set(this.#rig.list("apps/replicasets").map((set) => annotationOf(set, revisionAnnotation)));
  }

  /** What `kubectl rollout status` checks. */
  isDone(): boolean {
    const object = this.current();
    const replicas = countAt(object, "spec", "replicas") ?? 1;
    return (
      countOf(object, "status", "observedGeneration") >= countOf(object, "metadata", "generation") &&
      countOf(object, "status", "updatedReplicas") === replicas &&
      countOf(object, "status", "replicas") === replicas &&
      countOf(object, "status", "availableReplicas") === replicas
    );
  }

  /** Creates it and waits until it is ready. */
  async start(spec: DraftObject = {}): Promise<void> {
    await this.#rig.client.create(deployments, deploymentOf("web", spec));
    await this.#rig.pass(10);
  }
}
