// SPDX-License-Identifier: Apache-2.0
// The progress of a join as user-facing steps: pure functions of the hub's facts (IN16).
import type { HandshakeFault } from "../../rpc/listener/handshake-failures.ts";
import { codeTokenLifeMs, type JoinCodeRecord } from "./join-code.ts";
import type { HandshakeCount, JoinRefusal } from "./join-observations.ts";

/** Everything that the hub knows about one join. Times are the hub's wall clock. */
export interface JoinFacts {
  readonly nowMs: number;
  readonly code: Omit<JoinCodeRecord, "id" | "secretHash" | "region" | "environment" | "objectReads">;
  /** The newest refusal since the code was created. */
  readonly refusal: JoinRefusal | undefined;
  /** Failed TLS handshakes since the code was created, by address. */
  readonly handshakes: readonly HandshakeCount[];
  /** `pending`: waits for approval by an administrator. */
  readonly registration: "none" | "pending" | "registered";
  /** The first session has begun. */
  readonly hasSession: boolean;
  /** Undefined while the cluster is not registered. */
  readonly connection: { readonly state: string; readonly sentence: string } | undefined;
  /** Kinds that the agent has no permission to read. */
  readonly forbiddenKinds: readonly string[];
}

/** A possible cause, and the command that checks for it. */
export interface JoinHint {
  readonly sentence: string;
  readonly command: string;
}

/** `waiting`: no fault is known. `stopped`: does not continue without intervention. */
export interface JoinStep {
  readonly name: "code" | "fetched" | "registered" | "session" | "live";
  readonly state: "done" | "waiting" | "stopped";
  readonly sentence: string;
  readonly atMs: number | undefined;
  readonly hints: readonly JoinHint[];
}

const podCommand = "kubectl -n flotilla describe pod -l app.kubernetes.io/name=flotilla-agent";
const logCommand = "kubectl -n flotilla logs deployment/flotilla-agent";

/** The steps in order. Only the first unfinished step has hints. */
export function toJoinSteps(facts: JoinFacts): readonly JoinStep[] {
  const steps = [codeStep(facts), fetchedStep(facts), registeredStep(facts), sessionStep(facts), liveStep(facts)];
  const first = steps.findIndex(({ state }) => state !== "done");
  return steps.map((step, at) => {
    if (at === first || step.state === "done") return at === first ? step : { ...step, hints: [] };
    return { ...step, state: "waiting", hints: [], atMs: undefined };
  });
}

/** True when nothing more will change: the cluster is live, or the code and its token have expired unused. */
export function isJoinOver(facts: JoinFacts): boolean {
  if (facts.connection?.state === "live") return true;
  return facts.registration === "none" && facts.code.createdAtMs + codeTokenLifeMs <= facts.nowMs;
}

function codeStep({ code }: JoinFacts): JoinStep {
  return done("code", `The join URL for ${code.cluster} was created. It is valid for ten minutes.`, code.createdAtMs);
}

function fetchedStep(facts: JoinFacts): JoinStep {
  const { code, nowMs, registration } = facts;
  if (code.fetched !== undefined) {
    const repeats = code.fetchCount > 1 ? `, ${code.fetchCount} times so far` : "";
    return done("fetched", `The manifest was fetched by ${code.fetched.from}${repeats}.`, code.fetched.atMs);
  }
  if (registration !== "none") return done("fetched", "The cluster joined without the manifest.", undefined);
  if (code.expiresAtMs <= nowMs) {
    const sentence = "The join URL expired before the manifest was fetched. Create another.";
    return { name: "fetched", state: "stopped", sentence, atMs: code.expiresAtMs, hints: [] };
  }
  const hints = [
    { sentence: "Run the line in a shell whose kubectl reaches the cluster.", command: "kubectl cluster-info" },
    {
      sentence:
        "If curl reports error 6, 7 or 28, that shell does not reach the hub. Error 90 means that something else answers in the hub's place.",
      command: "",
    },
    ...handshakeHints(facts),
  ];
  return { name: "fetched", state: "waiting", sentence: "The manifest has not been fetched.", atMs: undefined, hints };
}

function registeredStep(facts: JoinFacts): JoinStep {
  const { registration, refusal, code } = facts;
  if (registration === "pending") {
    const hints = [
      { sentence: "An administrator must approve it.", command: `flotilla cluster approve ${code.cluster}` },
    ];
    const sentence = `${code.cluster} has registered its key and waits for approval.`;
    return { name: "registered", state: "stopped", sentence, atMs: undefined, hints };
  }
  if (registration === "registered") return done("registered", `${code.cluster} has registered its key.`, undefined);
  if (refusal?.stage === "register") {
    const sentence = `The hub refused to register the agent at ${refusal.from}: ${refusal.sentence}.`;
    return { name: "registered", state: "stopped", sentence, atMs: refusal.atMs, hints: [] };
  }
  const hints = [...handshakeHints(facts), ...unseenHints];
  return {
    name: "registered",
    state: "waiting",
    sentence: "The agent has not contacted the hub.",
    atMs: undefined,
    hints,
  };
}

function sessionStep({ hasSession, refusal }: JoinFacts): JoinStep {
  if (hasSession) return done("session", "The agent has opened its session.", undefined);
  if (refusal?.stage === "session") {
    const sentence = `The hub refused the session of the agent at ${refusal.from}: ${refusal.sentence}.`;
    return { name: "session", state: "stopped", sentence, atMs: refusal.atMs, hints: [logHint] };
  }
  const sentence = "The agent has not opened its session.";
  return { name: "session", state: "waiting", sentence, atMs: undefined, hints: [logHint] };
}

function liveStep({ connection, forbiddenKinds, code }: JoinFacts): JoinStep {
  if (connection?.state === "live") {
    const exception = forbiddenKinds.length === 0 ? "" : `, but its agent may not read ${namedKinds(forbiddenKinds)}`;
    return done("live", `${code.cluster} is live${exception}.`, undefined);
  }
  const sentence = connection === undefined ? "The cluster is not known yet." : connection.sentence;
  return { name: "live", state: "waiting", sentence, atMs: undefined, hints: forbiddenHints(forbiddenKinds) };
}

function done(name: JoinStep["name"], sentence: string, atMs: number | undefined): JoinStep {
  return { name, state: "done", sentence, atMs, hints: [] };
}

const logHint: JoinHint = { sentence: "The agent's log shows its attempts.", command: logCommand };

/** Failures inside the cluster before the agent's first call, which the hub cannot observe. */
const unseenHints: readonly JoinHint[] = [
  {
    sentence: "Image: ErrImagePull or ImagePullBackOff in the Pod's events means that the cluster cannot pull it.",
    command: podCommand,
  },
  {
    sentence: "RBAC: if kubectl apply reported Forbidden, apply the manifest as a user who can create ClusterRoles.",
    command: "kubectl auth can-i create clusterroles.rbac.authorization.k8s.io",
  },
  {
    sentence:
      "Egress: “cannot be reached” in the agent's log means that the cluster cannot open a connection to the hub. Allow it, or set HTTPS_PROXY on the Deployment, with the API server's address in NO_PROXY.",
    command: logCommand,
  },
  {
    sentence: "TLS: “not signed by the CA given” in the agent's log means that something else answers as the hub.",
    command: logCommand,
  },
  {
    sentence: "Clock: “not valid now” in the agent's log means that the clock of its Node is wrong.",
    command: logCommand,
  },
];

const faultSentences: Readonly<Record<HandshakeFault, string>> = {
  untrusted: "the client does not trust the hub's certificate",
  notValidNow: "the hub's certificate is not valid at the client's time; check the clock of that machine",
  abandoned:
    "the client closed the connection, as an agent does that does not trust the certificate or whose clock is wrong",
};

function handshakeHints({ handshakes }: JoinFacts): readonly JoinHint[] {
  return handshakes.map(({ address, fault, count }) => {
    const times = count === 1 ? "A TLS handshake" : `${count} TLS handshakes`;
    return { sentence: `${times} from ${address} failed: ${faultSentences[fault]}.`, command: logCommand };
  });
}

/** Kinds listed in a hint; the cluster's page lists all. */
const shownKindCount = 3;

function forbiddenHints(kinds: readonly string[]): readonly JoinHint[] {
  const [first] = kinds;
  if (first === undefined) return [];
  const [group, resource] = first.includes("/") ? first.split("/") : ["", first];
  const name = group === "" ? resource : `${resource}.${group}`;
  return [
    {
      sentence: `RBAC: the agent may not read ${namedKinds(kinds)}. Apply the manifest again as a user who can create ClusterRoles.`,
      command: `kubectl auth can-i list ${name} --as system:serviceaccount:flotilla:flotilla-agent`,
    },
  ];
}

function namedKinds(kinds: readonly string[]): string {
  const more = kinds.length > shownKindCount ? ` and ${kinds.length - shownKindCount} more` : "";
  return `${kinds.slice(0, shownKindCount).join(", ")}${more}`;
}
