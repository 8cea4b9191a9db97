// SPDX-License-Identifier: Apache-2.0
import type { DerivedKind, Kind } from "../../kinds/kind.ts";
import type { ClusterId } from "../../model/cluster-id.ts";

/** What counts of a kind for the right to read it; a derived one is read by its source alone. */
export type CollectedKind = Pick<Kind, "resource" | "isNamespaced"> & Partial<Pick<DerivedKind, "from">>;

/** Everything that differs between the manifests of two agents. Checked by whoever read it; nothing here is secret. */
export interface AgentManifestOptions {
  /** `https:` and without a path. */
  readonly hub: URL;
  /** Certificates in PEM that the hub's own must come from; undefined: the roots of the image. */
  readonly ca: string | undefined;
  readonly clusterId: ClusterId;
  readonly region: string;
  readonly environment: string;
  /** Collection is limited to these; none: all. */
  readonly namespaces: readonly string[];
  readonly excludeNamespaces: readonly string[];
  /** What the agent may read. A resource of `*` is every one of its group. */
  readonly kinds: readonly CollectedKind[];
  /** Whether it may also read what the cluster's own roles for viewers grant: it follows kinds that no rule can name (KI27). */
  readonly readsAsViewer: boolean;
  /** `--kinds` of the agent; none: its default. */
  readonly kindTexts: readonly string[];
  /** Whether it reads objects for users, as the user (TU7). */
  readonly objectReads: boolean;
  /** Whether its rights to act for users are told in the words of Kubernetes 1.36, which are narrower. */
  readonly constrainedImpersonation: boolean;
  readonly image: string;
  /** Secrets in the agent's namespace with which the kubelet pulls the image from a private registry; none: it needs none. */
  readonly agentImagePullSecrets: readonly string[];
  /** An existing Secret whose key `token` is the join token. */
  readonly joinSecret: string;
  /** Of this program. */
  readonly version: string;
}

/** A Kubernetes object as it is sent. */
export type KubeObject = Readonly<Record<string, unknown>> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
};

/** Where an agent lives, and what every object of it is called. */
export const agentNamespace = "flotilla";
export const agentName = "flotilla-agent";

/** The key of the join token in its Secret. */
export const joinTokenKey = "token";

/** The labels of every object. */
export function labelsOf({ version }: Pick<AgentManifestOptions, "version">): Readonly<Record<string, string>> {
  return {
    "app.kubernetes.io/name": agentName,
    "app.kubernetes.io/part-of": "flotilla",
    "app.kubernetes.io/managed-by": "flotilla",
    "app.kubernetes.io/version": toLabelValue(version),
  };
}

/** A semantic version may hold a "+", which a label may not; and a label has 63 characters that begin and end with a letter or digit. */
function toLabelValue(version: string): string {
  return version
    .replaceAll(/[^-A-Za-z0-9_.]/g, "_")
    .slice(0, 63)
    .replaceAll(/^[-_.]+|[-_.]+$/g, "");
}
