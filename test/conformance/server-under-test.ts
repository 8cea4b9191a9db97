// SPDX-License-Identifier: Apache-2.0

/** Who sends a step: `admin` is of the group system:masters, `bob` has no rights, `dev` has what a scenario grants. */
export const users = [
  { name: "admin", groups: ["system:masters"] },
  { name: "bob", groups: ["staff"] },
  { name: "dev", groups: ["staff", "developers"] },
] as const;

export type UserName = (typeof users)[number]["name"];

/**
 * A Kubernetes API server that scenarios are played against. It runs the namespace lifecycle and the garbage collector
 * and no other controller, has Services in 10.0.0.0/24, and knows the `users` above, each with the uid `uid-NAME`.
 */
export interface ServerUnderTest {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** PEM text of the authority that signed its certificate. */
  readonly ca: string;
  /** The bearer token of a user. */
  token(user: UserName): string;
  /** Ends it and frees all that it holds. */
  close(): Promise<void>;
}
