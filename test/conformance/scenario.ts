// SPDX-License-Identifier: Apache-2.0
// What a scenario is made of. In every text of a step `${name}` stands for a value: `${ns}` is the namespace of the
// scenario, `${run}` a text that no other run has, everything else was saved by a step before.
import type { UserName } from "./server-under-test.ts";

/** A place in the body of an answer: keys and list positions, `metadata.uid` or `items.0.metadata.name`. */
export type BodyPath = string;

/** When a step that is sent again and again is content. All that is given must hold. */
export interface Wait {
  readonly status?: number;
  /** A place in the body and the value that it must have. */
  readonly at?: BodyPath;
  readonly equals?: unknown;
}

/** One request. */
export interface Step {
  /** Says what is asked; no other step of the scenario has it. */
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Besides `Accept` and `Content-Type`, which are JSON unless given here; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly text?: string;
  /** Bytes in base64, sent as bytes; nothing is substituted in it. */
  readonly base64?: string;
  /** Default `admin`; `nobody` shows no token, `stranger` one that no server knows. */
  readonly as?: UserName | "nobody" | "stranger";
  /**
   * Names under which values of the answer's body, or of a header (`header:etag`), are kept. A value that is not there
   * fails the play.
   */
  readonly save?: Readonly<Record<string, BodyPath>>;
  /** Sends the step until its answer is like this; only the last answer counts. */
  readonly wait?: Wait;
  /**
   * The answer is a watch: read this many events, then hang up. Fewer come only if the server ends it or time is up.
   */
  readonly events?: number;
  /**
   * Of a list in the body, only the elements with these values count: a server may hold more than the scenario is
   * about.
   */
  readonly only?: { readonly list: BodyPath; readonly key: BodyPath; readonly values: readonly string[] };
  /** Only these places of the body count. */
  readonly pick?: readonly BodyPath[];
  /** Lists in the body whose order means nothing. */
  readonly unordered?: readonly BodyPath[];
}

/**
 * Steps in their order, in a namespace of their own. Scenarios run side by side, so none touches what another could
 * see.
 */
export interface Scenario {
  /** Lowercase words with dashes; also the start of the namespace's name. */
  readonly id: string;
  readonly steps: readonly Step[];
}

/** Scenarios about one thing; their recorded answers are one file. */
export interface Topic {
  readonly name: string;
  readonly scenarios: readonly Scenario[];
}
