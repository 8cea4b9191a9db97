// SPDX-License-Identifier: Apache-2.0
import type { DerivedKind, Kind } from "../../kinds/kind.ts";
import type { ClusterId } from "../../model/cluster-id.ts";

/** The part of a kind that its read rules depend on. A derived kind is read through its source. */
export type CollectedKind = Pick<Kind, "resource" | "isNamespaced"> & Partial<Pick<DerivedKind, "from">>;

/** Everything that differs between the manifests of two agents. The caller has validated it. Contains no secret. */
export interface AgentManifestOptions {
  /** `https:` and without a path. */
  readonly hub: URL;
  /** PEM certificates of the authority that signs the hub's certificate; undefined: the roots of the image. */
  readonly ca: string | undefined;
  readonly clusterId: ClusterId;
  readonly region: string;
  readonly environment: string;
  /** Limits collection to these; empty: no limit. */
  readonly namespaces: readonly string[];
  readonly excludeNamespaces: readonly string[];
  /** Kinds that the agent may read. The resource `*` stands for all of its group. */
  readonly kinds: readonly CollectedKind[];
  /**
   * Whether the agent also gets the rights of the cluster's viewer roles: it follows kinds that no rule can name
   * (KI27).
   */
  readonly readsAsViewer: boolean;
  /** `--kinds` of the agent; empty: its default. */
  readonly kindTexts: readonly string[];
  /** Whether the agent reads objects for users, as the user (TU7). */
  readonly objectReads: boolean;
  /** Whether its impersonation rights use the narrower verbs of Kubernetes 1.36. */
  readonly constrainedImpersonation: boolean;
  /** Whether it may create SubjectAccessReviews, for comparison with the hub's answers (SE63). Default: true. */
  readonly accessReviews?: boolean;
  /** Groups of the hub that may read the collected kinds, except Secrets. Default: the hub's administrators. */
  readonly viewerGroups?: readonly string[];
  readonly image: string;
  /** Secrets in the agent's namespace for pulling the image from a private registry; empty: none are needed. */
  readonly agentImagePullSecrets: readonly string[];
  /** An existing Secret whose key `token` is the join token. */
  readonly joinSecret: string;
  /** The version of this program. */
  readonly version: string;
}

/** A Kubernetes object in the form of its API. */
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

/** The namespace of an agent, and the name of its objects. */
export const agentNamespace = "flotilla";
export const agentName = "flotilla-agent";

/** The key of the join token in its Secret. */
export const joinTokenKey = "token";

/** The labels of every object of an agent. */
export function labelsOf({ version }: Pick<AgentManifestOptions, "version">): Readonly<Record<string, string>> {
  return {
    "app.kubernetes.io/name": agentName,
    "app.kubernetes.io/part-of": "flotilla",
    "app.kubernetes.io/managed-by": "flotilla",
    "app.kubernetes.io/version": toLabelValue(version),
  };
}

/**
 * A semantic version may contain "+", which a label may not. A label has at most 63 characters, and begins and ends
 * with a letter or digit.
 */
function toLabelValue(version: string): string {
  return version
    .replaceAll(/[^-A-Za-z0-9_.]/g, "_")
    .slice(0, 63)
    .replaceAll(/^[-_.]+|[-_.]+$/g, "");
}
