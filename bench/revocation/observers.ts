// SPDX-License-Identifier: Apache-2.0
// Other clients of the same API server: a plain watch, and polls of the access of a user.
import { fieldOf, textOf } from "../../src/kinds/fields.ts";
import type { KubeClient } from "../../test/kubernetes/kube-client.ts";
import type { BenchServer } from "../apiserver/servers.ts";
import { watchPlainly } from "./plain-watch.ts";
import type { Observers } from "./revoked-user.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** Rancher's Steve evaluates the access of open watches anew so often. */
export const pollEveryMs = 2_000;

/** Opens watches of the RBAC kinds until the signal aborts. Events before the watches are open are not seen. */
export async function openObservers(server: BenchServer, admin: KubeClient, signal: AbortSignal): Promise<Observers> {
  const waiting = new Map<string, () => void>();
  const onEvent = (event: unknown): void => {
    const name = textOf(event, "object", "metadata", "name") ?? "";
    waiting.get(name)?.();
    waiting.delete(name);
  };
  for (const kind of ["roles", "rolebindings"]) {
    const watching = watchPlainly(server, `${rbac}/${kind}`, onEvent, signal);
    watching.catch((reason: unknown) => {
      throw reason; // ends the process: nothing else would notice
    });
  }
  const hasReviews =
    (await admin.send("POST", reviews, { body: reviewOf("nobody", "default", "none") })).status === 201;
  return {
    nextEvent: (name) => new Promise((resolve) => waiting.set(name, resolve)),
    untilPolled: hasReviews
      ? async (user, namespace, group) => {
          // The phase of a poller has nothing to do with the moment of the change.
          await pause(Math.random() * pollEveryMs, signal);
          while (
            fieldOf(
              await admin.ask("POST", reviews, { body: reviewOf(user, namespace, group) }),
              "status",
              "allowed",
            ) === true
          )
            await pause(pollEveryMs, signal);
        }
      : undefined,
  };
}

function reviewOf(user: string, namespace: string, group: string): object {
  const resourceAttributes = { verb: "list", group: "", resource: "configmaps", namespace };
  return { spec: { user, groups: [group], resourceAttributes } };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
