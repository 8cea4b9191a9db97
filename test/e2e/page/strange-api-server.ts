// SPDX-License-Identifier: Apache-2.0
// An API server that a page has trouble with: it gives out nothing but ConfigMaps, fails at Pods in four kilobytes of
// Arabic, and says it is unwell in the same words.
import { writeFileSync } from "node:fs";
import { stringify } from "yaml";
import {
  answerJson,
  answerStatus,
  type Respond,
  startTestServer,
  type TestServer,
  testAuthority,
} from "../../../src/kube/connection/testing/test-server.ts";

/**
 * "The server could not answer (this request", with a mark that turns what follows it around, if it is let, and
 * unclosed parentheses. Some four kilobytes.
 */
const arabicSentence = `\u202e${"تعذر على الخادم الرد (على هذا الطلب ".repeat(64)}`;

const verbs = ["list", "watch"];
const resources = [
  { name: "configmaps", namespaced: true, kind: "ConfigMap", verbs },
  { name: "pods", namespaced: true, kind: "Pod", verbs },
];

const documents: ReadonlyMap<string, object> = new Map<string, object>([
  ["/version", { gitVersion: "v1.36.3" }],
  ["/api", { kind: "APIVersions", versions: ["v1"] }],
  ["/apis", { kind: "APIGroupList", apiVersion: "v1", groups: [] }],
  ["/api/v1", { kind: "APIResourceList", groupVersion: "v1", resources }],
]);

const configMaps = { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "7" }, items: [] };

/** Start it, close it. */
export class StrangeApiServer {
  /** Whether its own probe fails. */
  isUnwell = false;
  readonly #uid: string;
  #server: TestServer | undefined;

  constructor(uid: string) {
    this.#uid = uid;
  }

  async start(): Promise<void> {
    this.#server = await startTestServer(this.#respond);
  }

  async close(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  /** Writes a kubeconfig with one context, whose user shows this token. */
  writeKubeconfig(file: string, name: string, token: string): void {
    const ca = Buffer.from(testAuthority.ca).toString("base64");
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name, cluster: { server: this.#server?.url, "certificate-authority-data": ca } }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      "current-context": name,
    };
    writeFileSync(file, stringify(config), { mode: 0o600 });
  }

  readonly #respond: Respond = ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, "https://server");
    const document = documents.get(pathname);
    if (document !== undefined) answerJson(response, 200, document);
    else if (pathname === "/api/v1/namespaces/kube-system") answerJson(response, 200, { metadata: { uid: this.#uid } });
    else if (pathname === "/livez" && !this.isUnwell) answerJson(response, 200, {});
    else if (pathname !== "/api/v1/configmaps") answerStatus(response, 500, arabicSentence);
    else if (searchParams.get("sendInitialEvents") === "true") answerStatus(response, 400, "pages only");
    else if (searchParams.get("watch") === null) answerJson(response, 200, configMaps);
    // A watch in which nothing happens.
    else response.writeHead(200, { "content-type": "application/json" });
  };
}

/** A token that says when it ends, as a service account's does; nobody checks its signature. */
export function tokenThatEnds(
  nowMs: number,
  { agoMs, inMs }: { readonly agoMs: number; readonly inMs: number },
): string {
  const seconds = (ms: number): number => Math.floor(ms / 1_000);
  const claims = { iat: seconds(nowMs - agoMs), exp: seconds(nowMs + inMs) };
  const parts = [{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  return [...parts, "signature"].join(".");
}
