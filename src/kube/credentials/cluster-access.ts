// SPDX-License-Identifier: Apache-2.0
// How one cluster is reached and as whom, whether a kubeconfig or the surroundings of a pod said so.

/** Text that stands in the configuration itself, or in a file that is read when it is needed. */
export type Material =
  /** `besidePath` is a file that was named too and does not count. */
  | { readonly kind: "inline"; readonly text: string; readonly besidePath?: string }
  | { readonly kind: "file"; readonly path: string };

/** A certificate that is shown to the server, with its key; both PEM. */
export interface ClientCertificateMaterial {
  readonly certificate: Material;
  readonly key: Material;
}

/** The API version that an exec plugin speaks. */
export type ExecApiVersion = "client.authentication.k8s.io/v1" | "client.authentication.k8s.io/v1beta1";

/** A program that gives a credential. */
export interface ExecSpec {
  readonly apiVersion: ExecApiVersion;
  /** As it is started: an absolute path, or a name that is looked for in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Whether the plugin is told which cluster it is asked for. */
  readonly provideClusterInfo: boolean;
  /** What to tell when the program is not there; empty for nothing. */
  readonly installHint: string;
  /** The cluster's extension for exec plugins, passed on unread. */
  readonly clusterConfig: unknown;
}

/** Somebody else as whom the requests are made. */
export interface Impersonation {
  readonly user: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

/** As whom requests are made. Of several a token file goes before a token, and both before basic auth and an exec plugin, as in kubectl. */
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

/** Everything it takes to talk to one API server. Holds secrets: never logged as a whole (KU9). */
export interface ClusterAccess {
  /** What messages call it: the context's name, or `in-cluster`. */
  readonly name: string;
  /** Scheme http or https, without user, query and fragment; its path goes before every request's. */
  readonly server: URL;
  /** The name that the server's certificate must hold, where it is not the host of `server`. */
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** PEM; undefined for the roots of the system. */
  readonly certificateAuthority: Material | undefined;
  /** The kubeconfig's own proxy, which goes before the environment's (KU5). */
  readonly proxyUrl: URL | undefined;
  readonly disableCompression: boolean;
  readonly namespace: string | undefined;
  readonly user: UserAccess;
  /** True for a kubeconfig that somebody sent: loopback, link-local and unspecified addresses are not dialled (KU7). */
  readonly isRestricted: boolean;
}
