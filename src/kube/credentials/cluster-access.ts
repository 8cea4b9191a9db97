// SPDX-License-Identifier: Apache-2.0
// How one cluster is reached and as which user, from a kubeconfig or from a pod's environment.

/** Text from the configuration itself, or from a file that is read when needed. */
export type Material =
  /** `besidePath` is a file that was also named and is ignored. */
  | { readonly kind: "inline"; readonly text: string; readonly besidePath?: string }
  | { readonly kind: "file"; readonly path: string };

/** A client certificate with its key, both PEM. */
export interface ClientCertificateMaterial {
  readonly certificate: Material;
  readonly key: Material;
}

/** The API version that an exec plugin speaks. */
export type ExecApiVersion = "client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1";

/** An exec plugin: a program that returns a credential. */
export interface ExecSpec {
  readonly apiVersion: ExecApiVersion;
  /** As started: an absolute path, or a name looked up in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Whether the plugin receives the cluster's details. */
  readonly provideClusterInfo: boolean;
  /** Shown if the program is not installed; empty for none. */
  readonly installHint: string;
  /** The cluster's extension for exec plugins, passed on unparsed. */
  readonly clusterConfig: unknown;
}

/** The user that requests impersonate. */
export interface Impersonation {
  readonly user: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/**
 * The user of requests. As in kubectl, a token file takes precedence over a token, and both over basic auth and an exec
 * plugin.
 */
export interface UserAccess {
  readonly clientCertificate: ClientCertificateMaterial | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly basicAuth: { readonly username: string; readonly password: string } | undefined;
  readonly exec: ExecSpec | undefined;
  readonly impersonation: Impersonation | undefined;
}

/** A user without any credential. */
export const anonymousUser: UserAccess = {
  clientCertificate: undefined,
  token: undefined,
  tokenFile: undefined,
  basicAuth: undefined,
  exec: undefined,
  impersonation: undefined,
};

/** Everything needed to connect to one API server. Holds secrets: never logged as a whole (KU9). */
export interface ClusterAccess {
  /** Its name in messages: the context's name, or `in-cluster`. */
  readonly name: string;
  /** Scheme http or https, without user, query and fragment. Its path is prepended to every request's path. */
  readonly server: URL;
  /** The name that the server's certificate must contain, if not the host of `server`. */
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** PEM; undefined for the system's CAs. */
  readonly certificateAuthority: Material | undefined;
  /** The kubeconfig's own proxy, which takes precedence over the environment's (KU5). */
  readonly proxyUrl: URL | undefined;
  readonly disableCompression: boolean;
  readonly namespace: string | undefined;
  readonly user: UserAccess;
  /** True for an imported kubeconfig: loopback, link-local and unspecified addresses are not dialled (KU7). */
  readonly isRestricted: boolean;
}
