// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeRequest, KubeSource } from "../../kube/kube-source.ts";
import { createAccountToken } from "./create-import-account.ts";

const never = new AbortController().signal;
const name = "flotilla-import";
const objects = [
  { kind: "ServiceAccount", metadata: { name, namespace: name } },
  { kind: "ClusterRole", metadata: { name }, rules: [{ verbs: ["get"] }] },
  { kind: "Secret", metadata: { name: `${name}-token`, namespace: name } },
];

/** An API server that answers by this function; what it was asked. */
function answering(answer: (request: KubeRequest) => object): {
  readonly source: KubeSource;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const source: KubeSource = {
    async request(request) {
      asked.push(`${request.method} ${request.path}`);
      const bytes = new TextEncoder().encode(JSON.stringify(answer(request)));
      return {
        status: 200,
        headers: new Map(),
        body: (async function* () {
          yield bytes;
        })(),
      };
    },
  };
  return { source, asked };
}

test("[IN18] where nothing fills the Secret, a token is requested that ends with it, and its expiry is known", async () => {
  const clock = new ManualClock();
  let bound: unknown;
  const { source } = answering(({ path, body }) => {
    if (!path.endsWith("/token")) return { metadata: { uid: "uid-1" } };
    bound = JSON.parse(new TextDecoder().decode(body));
    return { status: { token: "bound", expirationTimestamp: "2027-01-01T00:00:00Z" } };
  });
  const making = createAccountToken({ source, objects, clock, onMade: () => undefined }, never);
  const outcome: { token?: unknown } = {};
  void making.then((token) => {
    outcome.token = token;
  });
  while (outcome.token === undefined) await clock.advance(1_000);
  expect(outcome.token).toEqual({ text: "bound", expiresAt: "2027-01-01T00:00:00Z" });
  expect(bound).toMatchObject({ spec: { boundObjectRef: { kind: "Secret", name: `${name}-token`, uid: "uid-1" } } });
  expect(clock.timerCount).toBe(0);
});

test("[IN18] objects that are there stay, but a ClusterRole gets the present rules", async () => {
  const token = Buffer.from("filled").toString("base64");
  const { source, asked } = answering(({ method }) => {
    if (method === "POST") throw new KubeError("conflict", "already exists");
    return { data: { token } };
  });
  const options = { source, objects, clock: new ManualClock(), onMade: () => undefined };
  expect(await createAccountToken(options, never)).toEqual({ text: "filled", expiresAt: undefined });
  expect(asked.filter((line) => line.startsWith("PATCH"))).toEqual([
    `PATCH /apis/rbac.authorization.k8s.io/v1/clusterroles/${name}`,
  ]);
});

test("[IN18] a refusal says what the API server said, and that nothing was made", async () => {
  const { source } = answering(() => {
    throw new KubeError("forbidden", "serviceaccounts is forbidden");
  });
  const onMade = () => expect.unreachable("nothing was made");
  await expect(createAccountToken({ source, objects, clock: new ManualClock(), onMade }, never)).rejects.toMatchObject({
    code: "PERMISSION_DENIED",
    message: "the service account cannot be created: serviceaccounts is forbidden",
  });
});
