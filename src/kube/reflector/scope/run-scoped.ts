// SPDX-License-Identifier: Apache-2.0
import { abortReason, isCancellation } from "../../../base/abort.ts";
import { KubeError } from "../../kube-error.ts";
import type { ReflectorEvent } from "../../reflector-event.ts";
import type { Followed } from "../kube-resource-path.ts";
import { listOnce } from "../list-once.ts";
import type { ReflectorOptions } from "../reflector-options.ts";
import { runReflector } from "../run-reflector.ts";
import { jitter } from "../sync-interval.ts";
import type { Namespaces } from "./listed-namespaces.ts";
import { isIncluded, type NamespaceFilter, planScope } from "./namespace-filter.ts";
import { runByNamespace } from "./run-by-namespace.ts";

/** The options for following one kind in its scope. */
export interface ScopedOptions extends Omit<ReflectorOptions, "namespace" | "fieldSelector"> {
  readonly isNamespaced: boolean;
  readonly filter: NamespaceFilter;
  /** Used if the whole kind may not be listed. */
  readonly namespaces: Namespaces;
  /**
   * How long a refusal is assumed to last, give or take a tenth, before the request is tried again. Default: 10
   * minutes.
   */
  readonly refusalLifeMs?: number;
}

const defaultRefusalLifeMs = 600_000;

/** Ends the reflector of the whole kind because it is refused. */
class WholeRefused extends Error {
  override readonly name = "WholeRefused";
  readonly error: KubeError;

  constructor(error: KubeError) {
    super("the kind may not be listed as a whole");
    this.error = error;
  }
}

type SharedParts = Omit<ReflectorOptions, "resource" | "namespace" | "fieldSelector" | "sink">;

/** The parts that all reflectors of the kind share. */
function sharedParts({ source, clock, random, log, settings, onDoubt, strip, returns }: ScopedOptions): SharedParts {
  return { source, clock, random, log, settings, onDoubt, strip, returns };
}

/** Whether the whole kind is refused: forbidden, or the server does not support the exclusion's field selector. */
function isRefusal({ fault }: KubeError, { fieldSelector }: Followed): boolean {
  return fault === "forbidden" || (fault === "refused" && fieldSelector !== undefined);
}

/** Follows the whole kind. Resolves with the error when it is refused. Calls `onListed` after each list. */
async function runWhole(
  options: ScopedOptions,
  followed: Followed,
  onListed: () => void,
  signal: AbortSignal,
): Promise<KubeError> {
  const whole: ReflectorOptions = {
    ...sharedParts(options),
    ...followed,
    sink: (event) => {
      if (event.kind === "listed") onListed();
      if (event.kind === "failed" && options.isNamespaced && isRefusal(event.error, followed))
        throw new WholeRefused(event.error);
      return options.sink(event);
    },
  };
  try {
    await runReflector(whole, signal);
  } catch (reason) {
    if (reason instanceof WholeRefused) return reason.error;
    throw reason;
  }
  throw abortReason(signal);
}

/** Whether the server returns one page of the whole kind. */
async function isWholeAllowed(options: ScopedOptions, followed: Followed, signal: AbortSignal): Promise<boolean> {
  const { source, strip } = options;
  const settings = { ...options.settings, pageSize: 1 };
  const enough = new Error("the first page arrived");
  try {
    await listOnce({ source, settings, strip, ...followed }, () => Promise.reject(enough), signal);
    return true;
  } catch (reason) {
    if (isCancellation(signal, reason)) throw abortReason(signal);
    if (reason === enough) return true;
    if (reason instanceof KubeError) return false;
    throw reason;
  }
}

/**
 * Follows one kind within a namespace filter: as a whole if that is allowed, otherwise namespace by namespace (KU19).
 * Both emit one sequence of events. A permission that is granted or revoked meanwhile needs no restart. Rejects as
 * `runReflector` does.
 */
export async function runScoped(options: ScopedOptions, signal: AbortSignal): Promise<void> {
  const { resource, isNamespaced, filter, namespaces, random } = options;
  const shared = sharedParts(options);
  const plan = planScope(resource, isNamespaced, filter);
  const drawRefusalLifeMs = (): number => jitter(options.refusalLifeMs ?? defaultRefusalLifeMs, random.next());
  if (plan.kind === "namespaces") {
    const names = new Set(plan.names);
    const fixed: Namespaces = { names, refusal: undefined, onChange: () => () => undefined };
    await runByNamespace(
      { ...shared, resource, sink: options.sink, namespaces: fixed, drawRefusalLifeMs, isIncluded: () => true },
      signal,
    );
    return;
  }
  let wasListed = false;
  const onListed = (): void => {
    wasListed = true;
  };
  const sink = (event: ReflectorEvent): void | Promise<void> => {
    if (event.kind === "listed") onListed();
    return options.sink(event);
  };
  for (;;) {
    const wholeRefusal = await runWhole(options, plan.followed, onListed, signal);
    await runByNamespace(
      {
        ...shared,
        resource,
        sink,
        namespaces,
        drawRefusalLifeMs,
        wasListed,
        wholeRefusal,
        isIncluded: (name) => isIncluded(filter, name),
        isWholeAllowed: (within) => isWholeAllowed(options, plan.followed, within),
      },
      signal,
    );
  }
}
