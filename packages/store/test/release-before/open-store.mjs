import { a as isIntact, i as encodeEntries, o as SqlError } from "./shared-open-database.mjs";
import { migrations } from "./migrations.mjs";
import { dirname, extname, join, relative } from "node:path";
import { z } from "zod";
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from "kysely";
import { setTimeout as setTimeout$1 } from "node:timers/promises";
import { createHash, randomBytes } from "node:crypto";
import { chmod, copyFile, lstat, mkdir, open, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { constants } from "node:fs";
import { Worker } from "node:worker_threads";
// packages/protocol/src/ids.ts
/** The pattern of all ids. "." and ".." are not allowed because no URL can have them as a path segment. */
var idPattern = /^(?!\.\.?$)[\w.:-]{1,128}$/;
/** Returns whether a value is allowed as an id. */
function isId(value) {
	return typeof value === "string" && idPattern.test(value);
}
/** These narrow the type of an id. All ids have the same form, so only the caller knows which kind it is. */
var isOwnerId = isId;
/** Returns whether a value can be the id of a chat. */
var isChatId = isId;
/** Returns whether a value can be the id of a message. */
var isMessageId = isId;
/** Returns whether a value can be the id of a run. */
var isRunId = isId;
/** Returns random hexadecimal digits. Not `randomUUID`, which browsers offer only on https and localhost. */
function randomHex(byteCount) {
	return crypto.getRandomValues(new Uint8Array(byteCount)).reduce((hex, byte) => hex + byte.toString(16).padStart(2, "0"), "");
}
// packages/protocol/src/chunk.ts
var messageFields = {
	id: isString,
	role: (value) => value === "user" || value === "assistant" || value === "system",
	parts: (value) => Array.isArray(value) && value.every(isTyped),
	metadata: isRecordOrNone
};
var fieldsByType = new Map(Object.entries({
	"text-start": {
		id: isString,
		providerMetadata: isRecordOrNone
	},
	"text-delta": {
		id: isString,
		providerMetadata: isRecordOrNone,
		delta: isString
	},
	"text-end": {
		id: isString,
		providerMetadata: isRecordOrNone
	},
	"reasoning-start": {
		id: isString,
		providerMetadata: isRecordOrNone
	},
	"reasoning-delta": {
		id: isString,
		providerMetadata: isRecordOrNone,
		delta: isString
	},
	"reasoning-end": {
		id: isString,
		providerMetadata: isRecordOrNone
	},
	"tool-input-start": {
		toolCallId: isString,
		toolName: isString
	},
	"tool-input-delta": {
		toolCallId: isString,
		inputTextDelta: isString
	},
	"tool-input-available": {
		toolCallId: isString,
		toolName: isString
	},
	"tool-input-error": {
		toolCallId: isString,
		toolName: isString,
		errorText: isString
	},
	"tool-output-available": { toolCallId: isString },
	"tool-output-error": {
		toolCallId: isString,
		errorText: isString
	},
	"tool-output-denied": { toolCallId: isString },
	"tool-approval-request": {
		toolCallId: isString,
		approvalId: isString
	},
	"tool-approval-response": {
		approvalId: isString,
		approved: (value) => typeof value === "boolean"
	},
	"source-url": {
		sourceId: isString,
		url: isString
	},
	"source-document": {
		sourceId: isString,
		mediaType: isString,
		title: isString
	},
	file: {
		url: isString,
		mediaType: isString
	},
	"reasoning-file": {
		url: isString,
		mediaType: isString
	},
	custom: { kind: isString },
	"steering-message": {
		id: isString,
		parts: Array.isArray
	},
	"start-step": {},
	"finish-step": {},
	"reset-step": {},
	start: {
		messageMetadata: isRecordOrNone,
		messageId: isStringOrNone
	},
	finish: {
		messageMetadata: isRecordOrNone,
		finishReason: isStringOrNone
	},
	abort: { reason: isStringOrNone },
	error: { errorText: isString },
	"message-metadata": { messageMetadata: isRecordOrNone },
	"data-message": {
		id: isString,
		data: (value) => isRecord(value) && !badField(value, messageFields)
	},
	"data-rearrange": { data: (value) => isRecord(value) && Array.isArray(value["messageIds"]) }
}));
var dataFields = { id: isStringOrNone };
/** Returns whether a value is a chunk that `fold` can take. Unknown types are not. Extra fields are allowed. */
function isChunk(value) {
	return chunkProblem(value) === void 0;
}
/** Returns what is wrong with a value that should be a chunk, in words; `undefined` when it is a chunk. */
function chunkProblem(value) {
	if (!isTyped(value)) return "a chunk must be a JSON object with a \"type\"";
	const { type } = value;
	const fields = fieldsOf(type);
	if (!fields) return `unknown chunk type "${type.slice(0, 64)}"`;
	const field = badField(value, fields);
	return field && `a ${type} chunk needs a valid "${field}"`;
}
/** Returns whether a value is an object with fields: not `null`, and not an array. */
function isRecord(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isTyped(value) {
	return isRecord(value) && isString(value["type"]);
}
/** Returns the name of the first field that is not valid. */
function badField(value, fields) {
	for (const field in fields) if (!fields[field]?.(value[field])) return field;
}
function fieldsOf(type) {
	return fieldsByType.get(type) ?? (type.startsWith("data-") ? dataFields : void 0);
}
function isString(value) {
	return typeof value === "string";
}
function isStringOrNone(value) {
	return value === void 0 || isString(value);
}
function isRecordOrNone(value) {
	return value === void 0 || isRecord(value);
}
// packages/protocol/src/parse-json.ts
/**
* Returns the value of a JSON text, or `undefined` when the text is not JSON. JSON cannot express `undefined`, so the
* two cannot be confused. For text that others wrote: a mistake in it is expected, and the caller reports it.
*/
function parseJson(text) {
	try {
		return JSON.parse(text);
	} catch {
		return;
	}
}
// packages/protocol/src/position.ts
/** Returns a new random epoch for a log. */
function createEpoch() {
	return randomHex(8);
}
// packages/protocol/src/deferred.ts
/** Does what `Promise.withResolvers` does. Node 20 and browsers of 2023 do not have that function. */
function createDeferred() {
	let resolve = () => void 0;
	return {
		promise: new Promise((own) => {
			resolve = own;
		}),
		resolve
	};
}
// packages/protocol/src/retry.ts
/**
* Tries again until an attempt succeeds, and waits longer after each failure. Returns what the attempt returned, or
* `undefined` when `onFailure` or the signal ended the retries.
*/
async function retry(attempt, options) {
	const { firstMs, maxMs, restartAfterMs = Number.POSITIVE_INFINITY, signal, onFailure } = options;
	const { pause = (ms) => pauseUntilAborted(ms, signal) } = options;
	for (let delayMs = firstMs; signal?.aborted !== true; delayMs = Math.min(delayMs * 2, maxMs)) {
		const startedAt = performance.now();
		try {
			return await attempt();
		} catch (error) {
			if (performance.now() - startedAt > restartAfterMs) delayMs = firstMs;
			const waitMs = onFailure(error, delayMs);
			if (waitMs === void 0) return void 0;
			await pause(waitMs);
		}
	}
}
async function pauseUntilAborted(ms, signal) {
	if (signal?.aborted === true) return;
	const { promise, resolve } = createDeferred();
	const timer = setTimeout(resolve, ms);
	signal?.addEventListener("abort", resolve);
	await promise;
	clearTimeout(timer);
	signal?.removeEventListener("abort", resolve);
}
// packages/protocol/src/share-turns.ts
/**
* Returns a function for work that can wait a little. In each turn of the event loop it resolves for `count` callers, in
* order. So when a lot of such work comes at once, what else the process has to do comes in between.
*/
function shareTurns(count) {
	const waiting = [];
	/** How many have gone on in this turn. */
	let taken = 0;
	function startTurn() {
		const going = waiting.splice(0, count);
		taken = going.length;
		if (taken > 0) setImmediate(startTurn);
		for (const go of going) go();
	}
	return async () => {
		if (taken === count) return await new Promise((go) => waiting.push(go));
		if (taken === 0) setImmediate(startTurn);
		taken += 1;
	};
}
// packages/protocol/src/take-turns.ts
/**
* Returns a function that does at most `count` pieces of work at once. The others wait in line. So many long readers
* together load the process no more than `count` of them do, and each of them gets its turn.
*/
function takeTurns(count) {
	const waiting = [];
	let free = count;
	async function enter() {
		if (free > 0) {
			free -= 1;
			return;
		}
		await new Promise((go) => waiting.push(go));
	}
	/** Gives the place to the first in line. */
	function leave() {
		const next = waiting.shift();
		if (next === void 0) free += 1;
		else next();
	}
	return async (work) => {
		await enter();
		try {
			return await work();
		} finally {
			leave();
		}
	};
}
// packages/store/src/confirmed-writes.ts
/**
* Runs a write that may take effect twice without harm. If the connection was lost before the database confirmed it, it
* is repeated, eight times at most. The pauses between the attempts are six seconds together, and each attempt takes as long
* as the database's own time limits allow. Throws the `SqlError` `unconfirmed` when no attempt was confirmed.
*/
async function confirmed(write, onUnconfirmed = () => void 0) {
	try {
		return await write();
	} catch (error) {
		if (!(error instanceof SqlError && error.code === "unconfirmed")) throw error;
		onUnconfirmed();
		const result = await retry(async () => ({ value: await write() }), {
			firstMs: 50,
			maxMs: 5e3,
			onFailure(failure, delayMs) {
				if (!(failure instanceof SqlError && (failure.code === "unconfirmed" || failure.code === "unreachable"))) throw failure;
				if (delayMs >= 5e3) throw error;
				return delayMs;
			}
		});
		if (result === void 0) throw error;
		return result.value;
	}
}
/**
* Runs an insert of a row whose key nobody else uses. If the connection was lost before the database confirmed it, it is
* repeated, and the row may be there already.
*/
async function insertedOnce(write) {
	let isRepeated = false;
	try {
		await confirmed(write, () => {
			isRepeated = true;
		});
	} catch (error) {
		if (!(isRepeated && error instanceof SqlError && error.code === "constraint")) throw error;
	}
}
/**
* Returns whether a write succeeded. Failures with one of the given codes return false. All others are thrown.
*
* If the connection was lost before the database confirmed the write, it is repeated. When the repetition fails with one
* of the given codes, `isOurs` reads back whether the first attempt is the reason: then the write has succeeded. Repeating
* comes before reading, because the database may still be at work on the first attempt. The repetition waits for it.
*/
async function succeeds(failure, write, isOurs = async () => false) {
	let isRepeated = false;
	try {
		await confirmed(write, () => {
			isRepeated = true;
		});
		return true;
	} catch (error) {
		if (!(error instanceof SqlError && [failure].flat().includes(error.code))) throw error;
		return isRepeated && await isOurs();
	}
}
/**
* Runs a write that deletes a row, and fails with `no-effect` when there is none. Returns false then. If the connection was
* lost before the database confirmed the write, it is repeated. When the repetition finds no row, this returns true: most
* likely the first attempt has deleted it, and in any case it is gone. Not for rows that others take away for another reason.
*/
function deletes(write) {
	return succeeds("no-effect", write, async () => true);
}
// packages/store/src/dialect.ts
var sqliteDelivered = "case when delivered_epoch = logs.epoch then delivered_seq else 0 end";
var sqliteDialect = {
	name: "sqlite",
	jsonText: (column, path) => `json_extract(${column}, '$.${path.join(".")}')`,
	hasJsonKey: (column, key) => `json_type(${column}, '$.${key}') is not null`,
	jsonList: (column, order) => `json_group_array(${column} order by ${order})`,
	textRows: (columns) => `(select ${columns.map((column, index) => `json_extract(value, '$[${index}]') as ${column}`).join(", ")}
      from json_each(?))`,
	like: "like",
	rowName: (table) => `cast(${table}.rowid as text)`,
	isRow: (table) => `${table}.rowid = cast(? as integer)`,
	now: "cast(unixepoch('subsec') * 1000 as integer)",
	delivered: sqliteDelivered,
	undelivered: `with tails as (select epoch, max(seq + count - 1) as seq from log_tail group by epoch)
    select channel_chats.* from channel_chats
    join logs on logs.name = channel_chats.owner_id || '/' || channel_chats.chat_id
    left join tails on tails.epoch = logs.epoch
    where max(coalesce(tails.seq, 0), logs.seq) > ${sqliteDelivered}`
};
// packages/store/src/schema.ts
/** A row of the table `chats`. */
var chatRow = z.object({
	owner_id: z.string(),
	id: z.string(),
	title: z.string(),
	created_at: z.string(),
	updated_at: z.string(),
	/** The last entry of the log that the rows of `messages` contain. */
	saved_seq: z.number(),
	/** When the removal of the chat began; null for all others. A chat with a time here does not exist for anyone. */
	removed_at: z.string().nullable(),
	/** The process that deletes the rows of a removed chat, and until when it has the right to, in milliseconds since 1970. */
	removal_by: z.string().nullable(),
	removal_until: z.number().nullable(),
	/** When an answer of the chat ended last; null while none has. */
	answered_at: z.string().nullable(),
	/** When the person has pinned the chat to the top of the list; null for all others. */
	pinned_at: z.string().nullable()
});
/** A row of the table `messages`. */
var messageRow = z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	id: z.string(),
	role: z.enum([
		"system",
		"user",
		"assistant"
	]),
	metadata: z.string(),
	run_id: z.string(),
	/** Its place in the chat. At first this is the number of its first entry. Null until its run has ended. */
	seq: z.number().nullable()
});
/** A row of the table `parts`. */
var partRow = z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	message_id: z.string(),
	idx: z.number(),
	body: z.string()
});
/** A row of the table `runs`. */
var runRow = z.object({
	owner_id: z.string(),
	id: z.string(),
	chat_id: z.string(),
	agent: z.string(),
	user_message_id: z.string(),
	answer_id: z.string(),
	status: z.enum([
		"running",
		"finished",
		"stopped",
		"failed",
		"interrupted",
		"limit"
	]),
	kind: z.enum([
		"answer",
		"another-answer",
		"follow-up",
		"message",
		"change"
	]),
	/** All entries of the run come after this one. */
	after_seq: z.number(),
	started_at: z.string(),
	ended_at: z.string().nullable(),
	/** The node that works on the run. Empty when no node does, and in a database that only one process uses. */
	node_id: z.string(),
	/** JSON that only the server reads: who asked, and from where. Null after the run has ended. */
	context: z.string().nullable(),
	/** JSON that only the server reads: what the run has used so far. */
	usage: z.string().nullable(),
	/** How often the run was taken over after a crash. */
	attempt: z.number(),
	/** When somebody first asked for the end of the run; null when nobody has. */
	stop_requested_at: z.string().nullable(),
	/** Who asked: a person (`user`), or a new message that interrupts the run (`message`). */
	stop_requested_by: z.enum(["user", "message"]).nullable(),
	/** A digest of the user's message as it was sent; null when it was not edited while it waited. */
	sent_digest: z.string().nullable()
});
/** A row of the table `approvals`. */
var approvalRow = z.object({
	owner_id: z.string(),
	id: z.string(),
	chat_id: z.string(),
	run_id: z.string(),
	message_id: z.string(),
	tool_call_id: z.string(),
	tool_name: z.string(),
	input_hash: z.string(),
	status: z.enum([
		"pending",
		"approved",
		"denied",
		"expired",
		"void"
	]),
	reason: z.string().nullable(),
	created_at: z.string(),
	settled_at: z.string().nullable()
});
/** A row of the table `files`. */
var fileRow = z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	id: z.string(),
	media_type: z.string(),
	bytes: z.number(),
	created_at: z.string()
});
z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	id: z.string(),
	/** When its bytes were written for the last time. */
	written_at: z.string(),
	/** When somebody began to remove its bytes; null for all others. */
	sweep_at: z.string().nullable()
});
/** A row of the table `sub_agents`. */
var subAgentRow$1 = z.object({
	owner_id: z.string(),
	id: z.string(),
	/** Empty for the owner's default workspace. */
	workspace_id: z.string(),
	name: z.string(),
	enabled: z.number(),
	/** The other fields, as JSON. */
	definition: z.string(),
	version: z.number(),
	updated_at: z.string()
});
/** A row of the table `channel_chats`. */
var channelChatRow = z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	channel: z.string(),
	target: z.string(),
	delivered_epoch: z.string(),
	delivered_seq: z.number(),
	taken_over_by: z.string().nullable(),
	/** The node that sends the chat to its channel. Empty when no node does. */
	delivered_by: z.string()
});
/** A row of the table `outbox`. */
var outboxRow = z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	run_id: z.string(),
	idx: z.number(),
	body: z.string(),
	status: z.enum([
		"pending",
		"sent",
		"failed"
	]),
	receipt: z.string().nullable()
});
z.object({
	id: z.string(),
	/** The time of the last beat, by the clock of the database, in milliseconds since 1970. 0 when the node has resigned. */
	seen_at: z.number()
});
z.object({
	name: z.string(),
	node_id: z.string(),
	/** Grows by one each time that another node takes the job. */
	fence: z.number(),
	/** By the clock of the database, in milliseconds since 1970. */
	until: z.number()
});
/** A row of the table `waiting_submissions`. */
var waitingSubmissionRow = z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	id: z.string(),
	/** The order in the line of the chat. */
	idx: z.number(),
	body: z.string(),
	created_at: z.string()
});
/** A row of the table `operator_replies`. */
var operatorReplyRow = z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	answer_id: z.string(),
	text: z.string(),
	/** 0: it waits to be said. 2: it is just being said. 1: it is in the log. */
	said: z.number(),
	created_at: z.string()
});
z.object({
	name: z.string(),
	/** In hexadecimal digits. */
	key: z.string()
});
z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	message_id: z.string(),
	removed_at: z.string()
});
/** A row of the table `usage_days`. */
var usageDayRow = z.object({
	owner_id: z.string(),
	day: z.string(),
	agent: z.string(),
	model: z.string(),
	input_tokens: z.number(),
	output_tokens: z.number(),
	/** In billionths of a US dollar. Only for tokens whose price was known. */
	cost_nanos: z.number(),
	unpriced_tokens: z.number()
});
/** A row of the table `shares`. */
var shareRow = z.object({
	/** The secret part of the link. */
	key: z.string(),
	owner_id: z.string(),
	chat_id: z.string(),
	title: z.string(),
	created_at: z.string(),
	message_count: z.number(),
	/** A hash of the title and the messages. */
	digest: z.string(),
	/** The files that the messages name, as a JSON list of ids. */
	file_ids: z.string(),
	/** The messages, as JSON. May be long. */
	messages: z.string()
});
/** Returns a database that builds its statements for SQLite. */
function sqliteDatabase(sql, clock) {
	return {
		sql,
		clock,
		dialect: sqliteDialect,
		build: new Kysely({ dialect: {
			createAdapter: () => new SqliteAdapter(),
			createDriver: () => new DummyDriver(),
			createIntrospector: (database) => new SqliteIntrospector(database),
			createQueryCompiler: () => new SqliteQueryCompiler()
		} })
	};
}
/** Returns the columns that name a chat. */
function chatColumns({ ownerId, chatId }) {
	return {
		owner_id: ownerId,
		chat_id: chatId
	};
}
/** Returns the chat of a row with the columns `owner_id` and `id`. */
function chatFrom({ owner_id: ownerId, id: chatId }) {
	if (isOwnerId(ownerId) && isChatId(chatId)) return {
		ownerId,
		chatId
	};
	throw new SqlError("failed", `The row of chat "${String(chatId)}" is damaged.`);
}
/**
* For `where`: the status of a run that goes on. A literal, not a parameter. Postgres uses an index that has the condition
* `status = 'running'` only for statements in which it finds the same words.
*/
var running = sql.lit("running");
/** For `where`: only the rows of one chat. */
function ofChat(chat) {
	return ({ and }) => and(chatColumns(chat));
}
/** Makes a statement from a query. */
function statement(query, options = {}) {
	const { sql, parameters } = query.compile();
	return {
		sql,
		sets: [parameters.map(sqlValue)],
		...options
	};
}
/** Reads the rows of a query. Throws the `SqlError` `damaged` when a row is not as its table defines it. */
async function readRows({ sql }, query, row) {
	const [rows = []] = await sql.read(["compile" in query ? statement(query) : query]);
	const parsed = z.array(row).safeParse(rows);
	if (parsed.success) return parsed.data;
	const where = parsed.error.issues[0]?.path.join(".");
	throw new SqlError("damaged", `A row is damaged (${where}). Restore the database from a backup.`);
}
function sqlValue(value) {
	if (typeof value === "string" || typeof value === "number" || value === null) return value;
	throw new TypeError(`A ${typeof value} cannot be an SQL parameter here.`);
}
// packages/store/src/approvals.ts
/** Returns the approvals in a database. */
function createApprovals(database) {
	const { build, sql, dialect } = database;
	const selectSettled = `select approvals.* from ${dialect.textRows(["owner_id", "id"])} as named
    join approvals on approvals.owner_id = named.owner_id and approvals.id = named.id
    where approvals.status <> 'pending'`;
	const approvalsOf = (ownerId) => build.selectFrom("approvals").selectAll().where("owner_id", "=", ownerId);
	return {
		async open(approval) {
			const row = {
				...chatColumns(approval),
				id: approval.id,
				run_id: approval.runId,
				message_id: approval.messageId,
				tool_call_id: approval.toolCallId,
				tool_name: approval.toolName,
				input_hash: approval.inputHash,
				status: "pending",
				reason: null,
				created_at: approval.createdAt,
				settled_at: null
			};
			await insertedOnce(() => sql.write([statement(build.insertInto("approvals").values(row))]));
		},
		async find(ownerId, id) {
			const [row] = await readRows(database, approvalsOf(ownerId).where("id", "=", id), approvalRow);
			return row === void 0 ? void 0 : foundFrom(row);
		},
		async pending(ownerId, runId) {
			const query = approvalsOf(ownerId).where("run_id", "=", runId).where("status", "=", "pending");
			return new Set((await readRows(database, query, approvalRow)).map(({ id }) => id));
		},
		async settled(named) {
			if (named.length === 0) return [];
			const names = JSON.stringify(named.map(({ ownerId, id }) => [ownerId, id]));
			return (await readRows(database, {
				sql: selectSettled,
				sets: [[names]]
			}, approvalRow)).map(foundFrom);
		},
		settle(ownerId, id, { status, reason, at }) {
			const update = build.updateTable("approvals").set({
				status,
				reason: reason ?? null,
				settled_at: at
			}).where("owner_id", "=", ownerId).where("id", "=", id).where("status", "=", "pending");
			return succeeds("no-effect", () => sql.write([statement(update, { mustChange: true })]), async () => {
				return (await readRows(database, approvalsOf(ownerId).where("id", "=", id).where("status", "=", status).where("settled_at", "=", at), approvalRow)).length > 0;
			});
		}
	};
}
function foundFrom(row) {
	const { id, chat_id: chatId, run_id: runId, status, reason } = row;
	if (isChatId(chatId) && isRunId(runId)) return {
		id,
		chatId,
		runId,
		status,
		reason: reason ?? void 0
	};
	throw new SqlError("damaged", `The row of approval "${id}" is damaged.`);
}
/** Part of the end of a run: its approvals that still wait become void. */
function voidApprovals({ build }, run, at) {
	return build.updateTable("approvals").set({
		status: "void",
		settled_at: at
	}).where("owner_id", "=", run.ownerId).where("run_id", "=", run.id).where("status", "=", "pending");
}
// packages/store/src/chats.ts
var maxAttempts = 3;
/** Returns the chats in a database. Rings for a chat when the list of chats shows something else of it. */
function createChats(database, removals, signals) {
	const { build, sql } = database;
	const existing = (ownerId) => build.selectFrom("chats").selectAll().where("owner_id", "=", ownerId).where("removed_at", "is", null);
	const find = ({ ownerId, chatId }) => existing(ownerId).where("id", "=", chatId);
	async function get(chat) {
		if (removals.has(chat)) return void 0;
		const [row] = await readRows(database, find(chat), chatRow);
		return row === void 0 ? void 0 : chatFromRow(row);
	}
	async function change({ ownerId, chatId }, columns, onlyTitle) {
		if (removals.has({
			ownerId,
			chatId
		})) return false;
		const update = build.updateTable("chats").set(columns).where("owner_id", "=", ownerId).where("id", "=", chatId).where("removed_at", "is", null).$if(onlyTitle !== void 0, (query) => query.where("title", "=", onlyTitle ?? ""));
		const isChanged = await succeeds("no-effect", () => sql.write([statement(update, { mustChange: true })]));
		signals.ring({
			ownerId,
			chatId
		});
		return isChanged;
	}
	return {
		get,
		async list(ownerId, { limit }) {
			return (await readRows(database, existing(ownerId).orderBy("updated_at", "desc").orderBy("id").limit(limit), chatRow)).map(chatFromRow).filter(({ id }) => !removals.has({
				ownerId,
				chatId: id
			}));
		},
		async create(ownerId, chat) {
			const key = {
				ownerId,
				chatId: chat.id
			};
			for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
				await removals.gone(key);
				await confirmed(() => sql.write([statement(insertChat(database, ownerId, chat))]));
				signals.ring(key);
				const saved = await get(key);
				if (saved !== void 0) return saved;
				await removals.wasInTheWay(key);
			}
			return chat;
		},
		rename: (chat, { title, at }) => change(chat, {
			title,
			updated_at: at
		}),
		retitle: (chat, { from, to }) => change(chat, { title: to }, from),
		pin: (chat, at) => change(chat, { pinned_at: at ?? null }),
		async remove(chat, at) {
			const removal = removals.remove(chat, at);
			signals.ring(chat);
			try {
				return await removal;
			} finally {
				signals.ring(chat);
			}
		}
	};
}
/** Makes a chat if it does not exist. Also part of claiming a run: the first message of a chat makes the chat. */
function insertChat({ build }, ownerId, chat) {
	return build.insertInto("chats").values({
		owner_id: ownerId,
		id: chat.id,
		title: chat.title,
		created_at: chat.createdAt,
		updated_at: chat.updatedAt,
		saved_seq: 0,
		removed_at: null,
		removal_by: null,
		removal_until: null,
		answered_at: null,
		pinned_at: null
	}).onConflict((conflict) => conflict.doNothing());
}
function chatFromRow({ id, title, created_at, updated_at }) {
	if (!isChatId(id)) throw new SqlError("damaged", `The row of chat "${id}" is damaged.`);
	return {
		id,
		title,
		createdAt: created_at,
		updatedAt: updated_at
	};
}
// packages/store/src/removed-messages.ts
/**
* How long the message ids of a removed chat are remembered. A signed request is valid for five minutes before and after
* the time in it. So it can be sent again for ten minutes at most.
*/
var rememberedMs = 9e5;
/** Part of removing a chat that is in a channel: remembers its user messages, so that none of them is taken again. */
function rememberRemoved(database, { ownerId, chatId }, at) {
	const { build } = database;
	const theirs = build.selectFrom("messages").innerJoin("channel_chats", (join) => join.onRef("channel_chats.owner_id", "=", "messages.owner_id").onRef("channel_chats.chat_id", "=", "messages.chat_id")).select([
		"messages.owner_id",
		"messages.chat_id",
		"messages.id",
		sql.val(at).as("removed_at")
	]).where("messages.owner_id", "=", ownerId).where("messages.chat_id", "=", chatId).where("messages.role", "=", "user");
	return build.insertInto("removed_messages").columns([
		"owner_id",
		"chat_id",
		"message_id",
		"removed_at"
	]).expression(theirs).onConflict((conflict) => conflict.columns([
		"owner_id",
		"chat_id",
		"message_id"
	]).doUpdateSet({ removed_at: at }));
}
/** Forgets the messages that were remembered long enough. */
function forgetRemoved({ build }, at) {
	return build.deleteFrom("removed_messages").where("removed_at", "<", rememberedSince(at));
}
/** Selects the row of a message whose chat was removed a short time ago. */
function findRemoved({ build }, chat, message) {
	return build.selectFrom("removed_messages").select("message_id").where(ofChat(chat)).where("message_id", "=", message.messageId).where("removed_at", ">=", rememberedSince(message.at));
}
function rememberedSince(at) {
	return (/* @__PURE__ */ new Date(Date.parse(at) - rememberedMs)).toISOString();
}
// packages/store/src/channel-chats.ts
/** Returns the channel chats in a database. */
function createChannelChats(database, removals) {
	const { build, sql, dialect } = database;
	const select = () => build.selectFrom("channel_chats").selectAll("channel_chats");
	return {
		async tie(ownerId, chat, tie) {
			const key = {
				ownerId,
				chatId: chat.id
			};
			const statements = tieStatements(database, {
				ownerId,
				chat,
				tie
			});
			for (;;) {
				await removals.gone(key);
				if (await succeeds("no-effect", () => sql.write(statements))) return true;
				await removals.wasInTheWay(key);
				if (tie.incoming === void 0) continue;
				const [rows = []] = await sql.read([statement(findRemoved(database, key, tie.incoming))]);
				if (rows.length > 0) return false;
			}
		},
		async get(chat) {
			const [row] = await readRows(database, select().where(ofChat(chat)), channelChatRow);
			return row === void 0 ? void 0 : channelChatFrom(row);
		},
		async undelivered() {
			const [rows = []] = await sql.read([{
				sql: dialect.undelivered,
				sets: [[]]
			}]);
			return rows.map((row) => channelChatFrom(channelChatRow.parse(row)));
		},
		takeOver(chat, by) {
			const update = build.updateTable("channel_chats").set({ taken_over_by: by ?? null }).where(ofChat(chat));
			return succeeds("no-effect", () => sql.write([statement(update, { mustChange: true })]));
		}
	};
}
function tieStatements(database, { ownerId, chat, tie }) {
	const { build } = database;
	const { channel, target, incoming } = tie;
	const lock = build.updateTable("chats").set(({ ref }) => ({ updated_at: ref("updated_at") })).where("owner_id", "=", ownerId).where("id", "=", chat.id).where("removed_at", "is", null);
	const row = build.selectNoFrom(({ val, lit }) => [
		val(ownerId).as("owner_id"),
		val(chat.id).as("chat_id"),
		val(channel).as("channel"),
		val(target).as("target"),
		val("").as("delivered_epoch"),
		lit(0).as("delivered_seq")
	]).where(({ lit, not, exists }) => incoming === void 0 ? lit(true) : not(exists(findRemoved(database, {
		ownerId,
		chatId: chat.id
	}, incoming))));
	const insert = build.insertInto("channel_chats").columns([
		"owner_id",
		"chat_id",
		"channel",
		"target",
		"delivered_epoch",
		"delivered_seq"
	]).expression(row).onConflict((conflict) => conflict.columns(["owner_id", "chat_id"]).doUpdateSet({
		channel,
		target
	}));
	return [
		statement(insertChat(database, ownerId, chat)),
		statement(lock, { mustChange: true }),
		statement(insert, { mustChange: true })
	];
}
function channelChatFrom(row) {
	const { owner_id, chat_id, channel, target, taken_over_by } = row;
	if (!isOwnerId(owner_id) || !isChatId(chat_id)) throw new SqlError("damaged", `The row of channel chat "${chat_id}" is damaged.`);
	return {
		ownerId: owner_id,
		chatId: chat_id,
		channel,
		target,
		delivered: {
			epoch: row.delivered_epoch,
			seq: row.delivered_seq
		},
		takenOverBy: taken_over_by ?? void 0
	};
}
// packages/store/src/search-chats.ts
/** So many chats are searched, the newest ones. */
var maxSearched = 5e3;
/** The messages of so many chats are searched at a time. The database does other jobs in between. */
var sliceSize = 10;
var nameRow$1 = z.object({
	id: z.string(),
	is_named: z.number()
});
var textRow = z.object({
	id: z.string(),
	text: z.string().nullable()
});
/**
* Finds the owner's chats that contain a text, in their titles or in the saved texts of their messages. It compares
* characters, not words, so it works in every language.
*/
async function searchChats(database, ownerId, { text, limit, maxMs = 1500, signal }) {
	const until = performance.now() + maxMs;
	const chats = await readRows(database, selectNames(database, ownerId, text), nameRow$1);
	const named = chats.filter(({ is_named }) => is_named === 1).slice(0, limit);
	const texts = new Map(named.map(({ id }) => [id, void 0]));
	for (let start = 0; start < chats.length; start += sliceSize) {
		const isOver = performance.now() > until || signal?.aborted === true;
		if (texts.size >= limit || isOver) return {
			texts,
			isComplete: false
		};
		const found = await readRows(database, selectTexts(database, ownerId, {
			ids: chats.slice(start, start + sliceSize).map(({ id }) => id),
			text
		}), textRow);
		for (const row of found) if (row.text !== null && texts.size < limit) texts.set(row.id, row.text);
	}
	return {
		texts,
		isComplete: chats.length < maxSearched
	};
}
/** The newest chats, and whether their titles contain the text. */
function selectNames({ build, dialect }, ownerId, text) {
	const isNamed = contains(sql.ref("title"), {
		text,
		like: dialect.like
	});
	return build.selectFrom("chats").select(["id", sql`case when ${isNamed} then 1 else 0 end`.as("is_named")]).where("owner_id", "=", ownerId).where("removed_at", "is", null).orderBy("updated_at", "desc").orderBy("id").limit(maxSearched);
}
/** For each chat, one text of its messages that contains the text. */
function selectTexts({ build, dialect }, ownerId, { ids, text }) {
	const { like, jsonText } = dialect;
	const partType = sql.raw(jsonText("parts.body", ["type"]));
	const partText = sql.raw(jsonText("parts.body", ["text"]));
	return build.selectFrom("chats").select("chats.id").select(({ selectFrom }) => selectFrom("parts").select(partText.as("part_text")).whereRef("parts.owner_id", "=", "chats.owner_id").whereRef("parts.chat_id", "=", "chats.id").where(contains(sql.ref("parts.body"), {
		text: JSON.stringify(text).slice(1, -1),
		like
	})).where(sql`${partType} = 'text'`).where(contains(partText, {
		text,
		like
	})).limit(1).as("text")).where("chats.owner_id", "=", ownerId).where("chats.id", "in", ids).where("chats.removed_at", "is", null);
}
/** A condition: a column contains a text. `%`, `_` and `\` in the text stand for themselves. */
function contains(column, { text, like }) {
	const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
	return sql`${column} ${sql.raw(like)} ${pattern} escape '\\'`;
}
// packages/store/src/chat-list.ts
/** So many pinned chats are listed, whatever the limit. */
var maxPinned = 100;
var listedRow$1 = z.object({
	id: z.string(),
	title: z.string(),
	created_at: z.string(),
	updated_at: z.string(),
	answered_at: z.string().nullable(),
	pinned_at: z.string().nullable(),
	channel: z.string().nullable(),
	run_id: z.string().nullable(),
	approval_id: z.string().nullable()
});
/** Returns the list of chats in a database. */
function createChatList(database, removals) {
	const read = async (ownerId, query) => {
		return (await readRows(database, query, listedRow$1)).map(listedChat).filter(({ id }) => !removals.has({
			ownerId,
			chatId: id
		}));
	};
	const some = async (ownerId, ids) => ids.length === 0 ? [] : read(ownerId, selectListed(database, ownerId).where("chats.id", "in", ids));
	return {
		some,
		async newest(ownerId, { limit }) {
			const chats = selectListed(database, ownerId).orderBy("chats.updated_at", "desc").orderBy("chats.id");
			const newest = await read(ownerId, chats.limit(limit));
			const pinned = await read(ownerId, chats.where("chats.pinned_at", "is not", null).limit(maxPinned));
			const ids = new Set(newest.map(({ id }) => id));
			return [...newest, ...pinned.filter(({ id }) => !ids.has(id))];
		},
		async search(ownerId, search) {
			const { texts, isComplete } = await searchChats(database, ownerId, search);
			return {
				chats: (await some(ownerId, [...texts.keys()].filter(isChatId))).map((chat) => {
					const text = texts.get(chat.id);
					return text === void 0 ? chat : {
						...chat,
						text
					};
				}).toSorted((a, b) => a.updatedAt < b.updatedAt ? 1 : -1),
				isComplete
			};
		}
	};
}
/** A chat has at most one running run. A change of messages is a run too, but nobody waits for an answer of it. */
function selectListed({ build }, ownerId) {
	return build.selectFrom("chats").leftJoin("channel_chats", (join) => join.onRef("channel_chats.owner_id", "=", "chats.owner_id").onRef("channel_chats.chat_id", "=", "chats.id")).leftJoin("runs", (join) => join.onRef("runs.owner_id", "=", "chats.owner_id").onRef("runs.chat_id", "=", "chats.id").on("runs.status", "=", running).on("runs.kind", "not in", ["change", "message"])).select([
		"chats.id",
		"chats.title",
		"chats.created_at",
		"chats.updated_at"
	]).select([
		"chats.answered_at",
		"chats.pinned_at",
		"channel_chats.channel",
		"runs.id as run_id"
	]).select(({ selectFrom }) => selectFrom("approvals").select("approvals.id").whereRef("approvals.owner_id", "=", "runs.owner_id").whereRef("approvals.run_id", "=", "runs.id").where("approvals.status", "=", "pending").limit(1).as("approval_id")).where("chats.owner_id", "=", ownerId).where("chats.removed_at", "is", null);
}
function listedChat(row) {
	const { id, title, created_at, updated_at, answered_at, pinned_at, channel, run_id, approval_id } = row;
	if (!isChatId(id)) throw new SqlError("damaged", `The row of chat "${id}" is damaged.`);
	return {
		id,
		title,
		createdAt: created_at,
		updatedAt: updated_at,
		...answered_at === null ? {} : { answeredAt: answered_at },
		...pinned_at === null ? {} : { pinnedAt: pinned_at },
		...channel === null ? {} : { channel },
		activity: run_id === null ? "idle" : approval_id === null ? "running" : "waiting"
	};
}
Promise.resolve();
// packages/log/src/bells.ts
/** Returns bells that nobody listens to yet. */
function createBells() {
	const listeners = /* @__PURE__ */ new Map();
	return {
		ring(log) {
			const rings = listeners.get(log);
			if (rings === void 0) return;
			for (const ring of [...rings]) if (rings.has(ring)) ring();
		},
		listen(log, ring) {
			const rings = listeners.get(log) ?? /* @__PURE__ */ new Set();
			listeners.set(log, rings);
			const own = () => {
				try {
					ring();
				} catch {}
			};
			rings.add(own);
			return () => {
				rings.delete(own);
				if (rings.size === 0 && listeners.get(log) === rings) listeners.delete(log);
			};
		}
	};
}
// packages/log/src/log-store.ts
/** Returns the name of a chat's log. */
function logName({ ownerId, chatId }) {
	return `${ownerId}/${chatId}`;
}
/** Thrown by a `LogStore`. */
var LogError = class extends Error {
	name = "LogError";
	/**
	* `fenced`: another lease was acquired; stop writing. `wrong-end`: nothing was written, because the log does not end
	* where the writer expected it. `unknown-position`: the log does not have this position; load the chat again.
	* `invalid-chunk`: nothing was written, because a chunk is not valid.
	*/
	code;
	/** The log that the error is about. */
	log;
	constructor(code, log, message) {
		super(message);
		this.code = code;
		this.log = log;
	}
};
/** Throws a `LogError` (`unknown-position`) unless the log has every entry after the position. */
function assertKnown(log, { epoch, seq }, extent) {
	if (!(extent?.epoch === epoch && Number.isSafeInteger(seq) && seq >= extent.trimmed && seq <= extent.seq)) throw unknownPositionError(log, {
		epoch,
		seq
	});
}
/** Throws a `LogError` (`fenced` or `wrong-end`) unless the lease may append after the entry with the number `after`. */
function assertWritable(lease, after, head) {
	if (head?.epoch !== lease.head.epoch || head.fence !== lease.fence) throw fencedError(lease);
	if (head.seq === after) return;
	throw new LogError("wrong-end", lease.log, `Log ${lease.log} ends with entry ${head.seq}, not with ${after}. Nothing was written; read the log again.`);
}
/** Returns the error of an append with a chunk that is not valid. */
function invalidChunkError(log, problem) {
	return new LogError("invalid-chunk", log, `Log ${log}: ${problem}. Nothing was written; ensure that only valid chunks are appended.`);
}
function unknownPositionError(log, { epoch, seq }) {
	return new LogError("unknown-position", log, `Log ${log}: there is no position ${epoch}.${seq}. Load the messages, then follow from the position they come with.`);
}
function fencedError({ log, fence }) {
	return new LogError("fenced", log, `Log ${log}: lease ${fence} was taken over. Stop writing; its new holder goes on.`);
}
// packages/log/src/seal-drafts.ts
/**
* Returns copies of the drafts that went through JSON. So the writer gets exactly what every reader will get, and
* nobody can change an entry through the object that they handed in. Throws a `LogError` (`invalid-chunk`) when a chunk
* could not be read back; then nothing has been written yet.
*/
function sealDrafts(log, drafts) {
	return drafts.map(({ runId, messageId, chunk }) => {
		const json = jsonOf(chunk);
		if (json === void 0) throw invalidChunkError(log, "a chunk must be JSON");
		const sealed = copyOfDelta(chunk) ?? JSON.parse(json);
		const problem = chunkProblem(sealed);
		if (problem !== void 0) throw invalidChunkError(log, problem);
		return {
			runId,
			messageId,
			chunk: sealed,
			json
		};
	});
}
/**
* A shortcut: almost every chunk is a plain delta of text. Two strings go through JSON unchanged, so they need not be
* parsed again.
*/
function copyOfDelta(chunk) {
	if (chunk.type !== "text-delta" || Object.keys(chunk).length !== 3) return void 0;
	const { type, id, delta } = chunk;
	return typeof id === "string" && typeof delta === "string" ? {
		type,
		id,
		delta
	} : void 0;
}
function jsonOf(chunk) {
	try {
		return JSON.stringify(chunk);
	} catch {
		return;
	}
}
/** Returns the entries for sealed drafts, numbered from `first` on and written at the time `at`. */
function entriesFrom(sealed, { first, at }) {
	return sealed.map(({ runId, messageId, chunk }, index) => {
		return {
			seq: first + index,
			at,
			runId,
			messageId,
			chunk
		};
	});
}
// packages/log/src/recent-entries.ts
/** What an entry costs beside its text: the objects that it is made of. */
var entryOverhead = 400;
/**
* Returns an empty cache. It drops what is old or too much of a log, and then the logs that have not grown for longest.
*
* Viewers who keep up read an entry within milliseconds; the others can read the store. What stays for longer is expensive:
* V8 moves it to the part of the heap that it collects rarely, and in long pauses.
*/
function createRecentEntries(options = {}) {
	return new RecentEntriesByLog(options);
}
var RecentEntriesByLog = class {
	#options;
	/** The logs that somebody watches. */
	#recents = /* @__PURE__ */ new Map();
	#bytes = 0;
	#addCount = 0;
	constructor(options) {
		this.#options = {
			maxLogBytes: 262144,
			maxBytes: 33554432,
			maxAgeMs: 1e3,
			now: () => performance.now(),
			...options
		};
	}
	watch(log) {
		const recent = this.#recents.get(log) ?? newRecent();
		this.#recents.set(log, recent);
		recent.watcherCount += 1;
		let isWatching = true;
		return () => {
			if (!isWatching) return;
			isWatching = false;
			recent.watcherCount -= 1;
			if (recent.watcherCount > 0 || this.#recents.get(log) !== recent) return;
			this.#empty(recent);
			this.#recents.delete(log);
		};
	}
	add({ log, head }, entries, textBytes) {
		const recent = this.#recents.get(log);
		const [first] = entries;
		if (recent === void 0 || first === void 0) return;
		this.#addCount += 1;
		recent.grownAt = this.#addCount;
		if (recent.epoch !== head.epoch || lastOf(recent)?.seq !== first.seq - 1) this.#empty(recent);
		recent.epoch = head.epoch;
		const bytes = textBytes + entries.length * entryOverhead;
		this.#forgetOld(recent, bytes);
		for (const entry of entries) recent.newest.entries.push(entry);
		recent.newest.bytes += bytes;
		this.#bytes += bytes;
		this.#makeRoom(recent);
	}
	read(log, after, limit) {
		const recent = this.#recents.get(log);
		if (recent?.epoch !== after.epoch || !Number.isInteger(after.seq)) return void 0;
		const last = lastOf(recent);
		if (last === void 0 || after.seq >= last.seq) return void 0;
		const older = recent.older.entries;
		const newest = recent.newest.entries;
		const start = after.seq + 1 - (older[0] ?? newest[0] ?? last).seq;
		if (start < 0) return void 0;
		if (start >= older.length) return newest.slice(start - older.length, start - older.length + limit);
		const found = older.slice(start, start + limit);
		return found.length < limit ? found.concat(newest.slice(0, limit - found.length)) : found;
	}
	forget(log) {
		const recent = this.#recents.get(log);
		if (recent !== void 0) this.#empty(recent);
	}
	/** Begins a new period when the newest one is old, or has no room for more bytes. Each may have half of what a log may. */
	#forgetOld(recent, bytes) {
		const { maxLogBytes, maxAgeMs, now } = this.#options;
		const time = now();
		const { newest } = recent;
		if (time - newest.since > maxAgeMs / 2 || newest.bytes + bytes > maxLogBytes / 2) {
			this.#bytes -= recent.older.bytes;
			recent.older = newest;
			recent.newest = {
				since: time,
				entries: [],
				bytes: 0
			};
		}
		if (Math.max(recent.older.bytes, bytes) <= maxLogBytes / 2) return;
		this.#bytes -= recent.older.bytes;
		recent.older = nothing;
	}
	/** Drops whole logs, first the one that has not grown for longest. The newest one always stays. */
	#makeRoom(newest) {
		const { maxBytes } = this.#options;
		if (this.#bytes <= maxBytes) return;
		for (const recent of [...this.#recents.values()].sort((a, b) => a.grownAt - b.grownAt)) {
			if (recent !== newest) this.#empty(recent);
			if (this.#bytes <= maxBytes / 2) return;
		}
	}
	#empty(recent) {
		this.#bytes -= recent.older.bytes + recent.newest.bytes;
		recent.older = nothing;
		recent.newest = nothing;
	}
};
/** All logs without entries share it, because thousands of them may be watched. It is old, so nothing is added to it. */
var nothing = {
	since: Number.NEGATIVE_INFINITY,
	entries: [],
	bytes: 0
};
function newRecent() {
	return {
		watcherCount: 0,
		epoch: "",
		older: nothing,
		newest: nothing,
		grownAt: 0
	};
}
function lastOf({ older, newest }) {
	return newest.entries.at(-1) ?? older.entries.at(-1);
}
// packages/store/src/removal-statements.ts
/** Marks the chat as removed. What is small, or can be found without the chat, is deleted in the same transaction. */
function markStatements(database, chat, at) {
	const { build } = database;
	return [
		statement(build.updateTable("chats").set({ removed_at: at }).where("owner_id", "=", chat.ownerId).where("id", "=", chat.chatId).where("removed_at", "is", null), { mustChange: true }),
		statement(forgetRemoved(database, at)),
		statement(rememberRemoved(database, chat, at)),
		statement(build.deleteFrom("channel_chats").where(ofChat(chat))),
		statement(build.deleteFrom("approvals").where(ofChat(chat))),
		statement(build.deleteFrom("files").where(ofChat(chat))),
		statement(build.deleteFrom("waiting_submissions").where(ofChat(chat))),
		statement(build.deleteFrom("operator_replies").where(ofChat(chat)))
	];
}
/** Takes the lease of a chat that was just marked in the same transaction. */
function takeStatement({ dialect }, chat, { holder, ms }) {
	return {
		sql: `update chats set removal_by = ?, removal_until = ${dialect.now} + ? where owner_id = ? and id = ?`,
		sets: [[
			holder,
			ms,
			chat.ownerId,
			chat.chatId
		]]
	};
}
/** Renews the lease of a chat. Undoes its transaction if another process has the lease, or the chat is gone. */
function renewStatement({ dialect }, chat, { holder, ms }) {
	return {
		sql: `update chats set removal_until = ${dialect.now} + ?
      where owner_id = ? and id = ? and removed_at is not null and removal_by = ?`,
		sets: [[
			ms,
			chat.ownerId,
			chat.chatId,
			holder
		]],
		mustChange: true
	};
}
/** Takes over the removals whose process has given no sign of life for too long. Returns their chats. */
function adoptStatement({ dialect }, { holder, ms }) {
	return {
		sql: `update chats set removal_by = ?, removal_until = ${dialect.now} + ?
      where removed_at is not null and (removal_by is null or removal_until < ${dialect.now})
      returning owner_id, id`,
		sets: [[holder, ms]]
	};
}
/** Deletes some of the rows of a chat. Undoes its transaction when there are none left. */
function sliceStatements({ ownerId, chatId }) {
	return slices.map((sql) => ({
		sql,
		sets: [[ownerId, chatId]],
		mustChange: true
	}));
}
var slices = [
	sliceOf("shares", "key", 1),
	sliceOf("parts", "owner_id, chat_id, message_id, idx", 200),
	sliceOf("messages", "owner_id, chat_id, id", 1e3),
	sliceOf("runs", "owner_id, id", 1e3)
];
function sliceOf(table, key, count) {
	return `delete from ${table} where (${key}) in
    (select ${key} from ${table} where owner_id = ? and chat_id = ? limit ${count})`;
}
/** Deletes the row of a removed chat. */
function lastStatement({ build }, chat) {
	return statement(build.deleteFrom("chats").where("owner_id", "=", chat.ownerId).where("id", "=", chat.chatId).where("removed_at", "is not", null));
}
/** Selects the row of a chat if it is marked as removed. */
function markedStatement({ ownerId, chatId }) {
	return {
		sql: "select id from chats where owner_id = ? and id = ? and removed_at is not null",
		sets: [[ownerId, chatId]]
	};
}
/** Selects all chats that are marked as removed. */
var allMarked = {
	sql: "select owner_id, id from chats where removed_at is not null",
	sets: [[]]
};
// packages/store/src/delete-chat.ts
/**
* Deletes what is left of a chat that is marked as removed. Idempotent. The row of the chat goes last: it is the mark. If
* another process has taken the removal over, nothing more is deleted here: the chat may be gone already, and there may be
* a new one with the same id.
*/
async function deleteChat(database, chat, parts) {
	const { sql } = database;
	const { files, log, lease } = parts;
	const guard = lease === void 0 ? [] : [renewStatement(database, chat, lease)];
	/** Writes only while this process has the lease. Returns false when it has not, or nothing was left to change. */
	const write = (statements) => succeeds("no-effect", () => sql.write([...guard, ...statements]));
	const renewing = lease === void 0 ? void 0 : keepRenewing(() => write([]), lease);
	try {
		if (lease !== void 0 && !await write([])) return;
		await log.remove(logName(chat));
		if (lease !== void 0 && !await write([])) return;
		await files.removeAll(chat);
		for (const slice of sliceStatements(chat)) while (await write([slice]));
		await write([lastStatement(database, chat)]);
	} finally {
		clearInterval(renewing);
	}
}
/** Renews the lease while a step takes long, such as deleting many files. */
function keepRenewing(renew, { ms }) {
	return setInterval(() => void renew().catch(() => void 0), ms / 4).unref();
}
// packages/store/src/chat-removals.ts
/** How often to look whether another process has removed a chat, in milliseconds. */
var lookMs = 100;
/** Returns the removals of chats in a database. */
function createChatRemovals(database, options) {
	return new Removals(database, options);
}
var Removals = class {
	#database;
	#options;
	/** The removals of this process. They do not reject. */
	#underWay = /* @__PURE__ */ new Map();
	#closing = new AbortController();
	constructor(database, options) {
		this.#database = database;
		this.#options = options;
	}
	async remove(chat, at) {
		if (this.has(chat)) return false;
		const marked = this.#mark(chat, at);
		const deleted = marked.then((isMarked) => isMarked ? this.#delete(chat) : void 0);
		this.#hideDuring(chat, marked.then(() => this.#persist(chat, deleted), () => void 0));
		await deleted;
		return marked;
	}
	async resume() {
		await this.#takeOver();
		if (this.#options.lease !== void 0) this.#watch(this.#options.lease.ms);
	}
	has(chat) {
		return this.#underWay.has(logName(chat));
	}
	async isMarked(chat) {
		if (this.has(chat)) return true;
		if (this.#options.lease === void 0) return false;
		const [rows = []] = await this.#database.sql.read([markedStatement(chat)]);
		return rows.length > 0;
	}
	async gone(chat) {
		await this.#underWay.get(logName(chat));
	}
	async wasInTheWay(chat) {
		if (!await this.isMarked(chat)) return false;
		do {
			await this.gone(chat);
			if (this.#options.lease === void 0) continue;
			await this.#takeOver();
			await this.#pause(lookMs);
		} while (await this.isMarked(chat));
		return true;
	}
	async close() {
		this.#closing.abort();
		await Promise.all(this.#underWay.values());
	}
	#mark(chat, at) {
		const { sql } = this.#database;
		const { lease } = this.#options;
		const mark = markStatements(this.#database, chat, at);
		if (lease === void 0) return succeeds("no-effect", () => sql.write(mark));
		return succeeds("no-effect", () => sql.write([...mark, takeStatement(this.#database, chat, lease)]), () => succeeds("no-effect", () => sql.write([renewStatement(this.#database, chat, lease)])));
	}
	#delete(chat) {
		return deleteChat(this.#database, chat, this.#options);
	}
	/** Keeps the chat hidden until all of it is deleted. `removal` does not reject. */
	#hideDuring(chat, removal) {
		const name = logName(chat);
		this.#underWay.set(name, removal);
		removal.then(() => this.#underWay.delete(name));
	}
	/** Tries again until everything is deleted, for example when the disk was full. */
	async #persist(chat, attempt) {
		const { report, retryMs = 1e4 } = this.#options;
		try {
			await attempt;
		} catch (error) {
			if (this.#closing.signal.aborted || isClosed(error)) return;
			report(`Chat ${chat.chatId} is removed, but not all of it is deleted yet: ${reasonOf(error)}`);
			await this.#pause(retryMs);
			if (!this.#closing.signal.aborted) await this.#persist(chat, this.#delete(chat));
		}
	}
	/** Takes the removals that no process works on. If only this process uses the database, these are all of them. */
	async #takeOver() {
		const { sql } = this.#database;
		const { lease } = this.#options;
		const [rows = []] = lease === void 0 ? await sql.read([allMarked]) : await sql.write([adoptStatement(this.#database, lease)]);
		for (const chat of rows.map(chatFrom)) if (!this.has(chat)) this.#hideDuring(chat, this.#persist(chat, this.#delete(chat)));
	}
	/** Looks for removals whose process has died, for as long as this process lives. */
	async #watch(ms) {
		while (!this.#closing.signal.aborted) {
			await this.#pause(ms);
			if (this.#closing.signal.aborted) return;
			await this.#takeOver().catch((error) => {
				if (!isClosed(error)) this.#options.report(`Removed chats could not be looked for: ${reasonOf(error)}`);
			});
		}
	}
	async #pause(ms) {
		await setTimeout$1(ms, void 0, {
			signal: this.#closing.signal,
			ref: false
		}).catch(() => void 0);
	}
};
function isClosed(error) {
	return error instanceof SqlError && error.code === "closed";
}
function reasonOf(error) {
	return error instanceof Error ? error.message : String(error);
}
// packages/store/src/change-messages.ts
/** Part of the end of a run: removes and moves messages, and replaces their metadata. Idempotent. */
function changeMessages({ build }, chat, { removed, places, metadata }) {
	const update = (id) => build.updateTable("messages").where(ofChat(chat)).where("id", "=", id);
	const remove = (id) => build.deleteFrom("messages").where(ofChat(chat)).where("id", "=", id);
	return [
		...removed.map((id) => statement(remove(id))),
		...Array.from(places, ([id, seq]) => statement(update(id).set({ seq }))),
		...Array.from(metadata, ([id, said]) => statement(update(id).set({ metadata: JSON.stringify(said) })))
	];
}
// packages/store/src/existing-chat.ts
/** Selects a chat that was not removed. */
function existingChat({ build }, { ownerId, chatId }) {
	return build.selectFrom("chats").select("id").where("owner_id", "=", ownerId).where("id", "=", chatId).where("removed_at", "is", null);
}
// packages/store/src/unsaved-files.ts
var minAgeMs = 864e5;
/** A sweeper that has not finished a file after so long has crashed. */
var maxSweepMs = 3e5;
var waitMs = 200;
var pageSize$1 = 100;
/** Returns the files in a database that are not saved yet. */
function createUnsavedFiles(database, { bytes, now = () => /* @__PURE__ */ new Date() }) {
	const { sql } = database;
	const before = (ms) => new Date(now().getTime() - ms).toISOString();
	return {
		async note(chat, id) {
			const attempt = () => {
				const times = {
					at: now().toISOString(),
					crashedBefore: before(maxSweepMs)
				};
				return succeeds("no-effect", () => sql.write([noteStatement(database, {
					...chat,
					id
				}, times)]));
			};
			while (!await attempt()) await setTimeout$1(waitMs);
		},
		async forgetAll(chat) {
			const notes = database.build.deleteFrom("unsaved_files").where(ofChat(chat));
			await confirmed(() => sql.write([statement(notes)]));
		},
		async sweep() {
			let count = 0;
			for (;;) {
				const times = {
					writtenBefore: before(minAgeMs),
					crashedBefore: before(maxSweepMs)
				};
				const files = await oldFiles(database, times);
				for (const file of files) {
					const mark = markStatement(database, file, {
						...times,
						at: now().toISOString()
					});
					if (await succeeds("no-effect", () => sql.write([mark]))) {
						await bytes.remove(file, file.id);
						await confirmed(() => sql.write([forgetSwept(database, file)]));
						count += 1;
					} else await confirmed(() => sql.write([forgetSaved(database, file)]));
				}
				if (files.length < pageSize$1) return count;
			}
		}
	};
}
/**
* Part of the transaction that saves the row of a file. Undoes it when the file is no longer noted: then its bytes may be
* gone, and must be written again.
*/
function saveUnsaved({ build }, chat, id) {
	return statement(build.deleteFrom("unsaved_files").where(ofChat(chat)).where("id", "=", id).where("sweep_at", "is", null), { mustChange: true });
}
function noteStatement({ build }, file, { at, crashedBefore }) {
	return statement(build.insertInto("unsaved_files").values({
		...chatColumns(file),
		id: file.id,
		written_at: at,
		sweep_at: null
	}).onConflict((conflict) => conflict.columns([
		"owner_id",
		"chat_id",
		"id"
	]).doUpdateSet({
		written_at: at,
		sweep_at: null
	}).where(({ eb, or }) => or([eb("unsaved_files.sweep_at", "is", null), eb("unsaved_files.sweep_at", "<", crashedBefore)]))), { mustChange: true });
}
/** Returns the oldest files that were noted long ago and that nobody sweeps. */
async function oldFiles(database, { writtenBefore, crashedBefore }) {
	return (await readRows(database, database.build.selectFrom("unsaved_files").select([
		"owner_id",
		"chat_id",
		"id"
	]).where("written_at", "<", writtenBefore).where(({ eb, or }) => or([eb("sweep_at", "is", null), eb("sweep_at", "<", crashedBefore)])).orderBy("written_at").limit(pageSize$1), keyRow$2)).map(keyFrom);
}
/**
* Marks a file that is to be swept. From here on it can neither be saved nor noted, until it is forgotten. Has no effect
* when another process sweeps it, when it was noted again, and when it was saved: another message has brought it, too.
*/
function markStatement(database, file, { at, writtenBefore, crashedBefore }) {
	return statement(database.build.updateTable("unsaved_files").set({ sweep_at: at }).where(ofChat(file)).where("id", "=", file.id).where("written_at", "<", writtenBefore).where(({ eb, or }) => or([eb("sweep_at", "is", null), eb("sweep_at", "<", crashedBefore)])).where(({ not, exists }) => not(exists(savedRow(database, file)))), { mustChange: true });
}
function forgetSwept({ build }, file) {
	return statement(build.deleteFrom("unsaved_files").where(ofChat(file)).where("id", "=", file.id).where("sweep_at", "is not", null));
}
function forgetSaved(database, file) {
	return statement(database.build.deleteFrom("unsaved_files").where(ofChat(file)).where("id", "=", file.id).where(({ exists }) => exists(savedRow(database, file))));
}
function savedRow({ build }, file) {
	return build.selectFrom("files").select("id").where(ofChat(file)).where("id", "=", file.id);
}
var keyRow$2 = z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	id: z.string()
});
function keyFrom({ owner_id: ownerId, chat_id: chatId, id }) {
	if (isOwnerId(ownerId) && isChatId(chatId)) return {
		ownerId,
		chatId,
		id
	};
	throw new SqlError("damaged", `The note of the unsaved file "${id}" is damaged.`);
}
// packages/store/src/files.ts
/** Returns the files of chats. */
function createFiles(database, { bytes, unsaved }) {
	const { build, sql } = database;
	const rowsOf = (chat, id) => readRows(database, build.selectFrom("files").selectAll().where(ofChat(chat)).where("id", "=", id), fileRow);
	async function write(chat, file) {
		await unsaved.note(chat, file.id);
		await bytes.write(chat, file);
	}
	return {
		location: bytes.location,
		async keep(chat, { mediaType, bytes: content, at }) {
			const file = {
				id: `file_${randomHex(16)}`,
				mediaType,
				bytes: content,
				at
			};
			await write(chat, file);
			try {
				await confirmed(() => sql.write(keepStatements(database, chat, file)));
			} catch (error) {
				const [saved] = await rowsOf(chat, file.id).catch(() => {
					throw error;
				});
				if (saved !== void 0) return file.id;
				if (!isUnconfirmed(error)) await bytes.remove(chat, file.id).catch(() => void 0);
				throw error;
			}
			return file.id;
		},
		write,
		async find(chat, id) {
			const [row] = await rowsOf(chat, id);
			return row && {
				id: row.id,
				mediaType: row.media_type,
				byteCount: row.bytes
			};
		},
		async read(chat, id) {
			const [row] = await rowsOf(chat, id);
			if (row === void 0) return void 0;
			const content = await bytes.read(chat, row.id);
			return content === void 0 ? void 0 : {
				mediaType: row.media_type,
				bytes: content
			};
		},
		async removeAll(chat) {
			const rows = build.deleteFrom("files").where(ofChat(chat));
			await confirmed(() => sql.write([statement(rows)]));
			await bytes.removeAll(chat);
			await unsaved.forgetAll(chat);
		}
	};
}
/**
* Part of saving a message: saves the rows of its files. The chat may have the same files already. Undoes the transaction
* when the bytes of a file must be written again.
*/
function insertFiles(database, chat, files) {
	return [...new Map(files.map((file) => [file.id, file])).values()].flatMap((file) => [statement(database.build.insertInto("files").values(rowOf$2(chat, file)).onConflict((conflict) => conflict.columns([
		"owner_id",
		"chat_id",
		"id"
	]).doNothing())), saveUnsaved(database, chat, file.id)]);
}
function keepStatements(database, chat, file) {
	const { build } = database;
	const isThere = existingChat(database, chat);
	return [
		statement(build.insertInto("files").values(rowOf$2(chat, file))),
		statement(isThere, { mustChange: true }),
		saveUnsaved(database, chat, file.id)
	];
}
function isUnconfirmed(error) {
	return error instanceof SqlError && error.code === "unconfirmed";
}
function rowOf$2(chat, { id, mediaType, bytes, at }) {
	return {
		...chatColumns(chat),
		id,
		media_type: mediaType,
		bytes: bytes.byteLength,
		created_at: at
	};
}
// packages/store/src/run-record.ts
/** Returns the row of a new run, without its node and its context. */
function rowOf$1(run) {
	return {
		...chatColumns(run),
		id: run.id,
		agent: run.agent,
		user_message_id: run.userMessageId,
		answer_id: run.answerId,
		status: run.status,
		after_seq: run.afterSeq,
		started_at: run.startedAt,
		kind: run.kind,
		attempt: run.attempt ?? 0,
		ended_at: null,
		usage: null,
		stop_requested_at: null,
		stop_requested_by: null,
		sent_digest: run.sentDigest ?? null
	};
}
/** Returns the run of a row. Throws when the row is damaged. */
function runFrom(row) {
	const { id, owner_id, chat_id, user_message_id, answer_id } = row;
	if (!isRunId(id) || !isOwnerId(owner_id) || !isChatId(chat_id) || !isMessageId(user_message_id) || !isMessageId(answer_id)) throw new SqlError("damaged", `The row of run "${id}" is damaged. Restore the database from a backup.`);
	return {
		id,
		ownerId: owner_id,
		chatId: chat_id,
		agent: row.agent,
		userMessageId: user_message_id,
		answerId: answer_id,
		afterSeq: row.after_seq,
		startedAt: row.started_at,
		status: row.status,
		kind: row.kind,
		...row.attempt === 0 ? {} : { attempt: row.attempt },
		...row.stop_requested_by === null ? {} : { stopRequestedBy: row.stop_requested_by },
		...row.sent_digest === null ? {} : { sentDigest: row.sent_digest }
	};
}
// packages/store/src/damaged-runs.ts
/** Reads every unfinished run, with the name of its row, and with what its chat has saved of the log. */
function selectUnfinished({ rowName }) {
	return {
		sql: `select ${rowName("runs")} as row_name, chats.saved_seq as saved_seq, runs.* from runs
      left join chats on chats.owner_id = runs.owner_id and chats.id = runs.chat_id
      where runs.status = 'running' and chats.removed_at is null`,
		sets: [[]]
	};
}
/** Returns the run of a row; `undefined` when the row is damaged. */
function readableRun(row) {
	const { success, data } = runRow.safeParse(row);
	if (!success) return void 0;
	try {
		return runFrom(data);
	} catch {
		return;
	}
}
/** Returns what can be read of a damaged row. */
function damagedRun(row) {
	const { id, owner_id: ownerId, chat_id: chatId, user_message_id, answer_id, saved_seq, row_name } = row;
	const isInChat = isOwnerId(ownerId) && isChatId(chatId) && typeof saved_seq === "number";
	return {
		rowName: String(row_name),
		named: {
			runId: String(id),
			chatId: String(chatId)
		},
		id: isRunId(id) ? id : void 0,
		chat: isInChat ? {
			ownerId,
			chatId
		} : void 0,
		userMessageId: isMessageId(user_message_id) ? user_message_id : void 0,
		answerId: isMessageId(answer_id) ? answer_id : void 0,
		agent: String(row["agent"]),
		savedSeq: Number(saved_seq ?? 0)
	};
}
// packages/store/src/find-runs.ts
/** Reads runs from the database. */
function createRunFinder(database) {
	const select = () => database.build.selectFrom("runs").selectAll().where(({ not, exists, selectFrom }) => not(exists(selectFrom("chats").select("chats.id").whereRef("chats.owner_id", "=", "runs.owner_id").whereRef("chats.id", "=", "runs.chat_id").where("chats.removed_at", "is not", null))));
	const inChat = (chat) => select().where(ofChat(chat));
	async function first(query) {
		const [row] = await readRows(database, query, runRow);
		return row === void 0 ? void 0 : runFrom(row);
	}
	return {
		active: (chat) => first(inChat(chat).where("status", "=", running)),
		get: (ownerId, id) => first(select().where("owner_id", "=", ownerId).where("id", "=", id)),
		ofUserMessage: (chat, id) => first(inChat(chat).where("user_message_id", "=", id).orderBy("after_seq").limit(1)),
		lastOfUserMessage: (chat, id) => first(inChat(chat).where("user_message_id", "=", id).where("kind", "!=", "follow-up").orderBy("after_seq", "desc").limit(1)),
		ofAnswer: (chat, id) => first(inChat(chat).where("answer_id", "=", id)),
		async unfinished() {
			const [rows = []] = await database.sql.read([selectUnfinished(database.dialect)]);
			return rows.flatMap((row) => readableRun(row) ?? []);
		},
		async toStop() {
			const query = select().where("status", "=", running).where("stop_requested_at", "is not", null);
			const [rows = []] = await database.sql.read([statement(query)]);
			return rows.flatMap((row) => readableRun(row) ?? []);
		},
		async damaged() {
			const [rows = []] = await database.sql.read([selectUnfinished(database.dialect)]);
			return rows.filter((row) => readableRun(row) === void 0).map(damagedRun);
		}
	};
}
// packages/store/src/hide-removed.ts
/** Returns the same messages, without those of chats that are being removed. */
function hideRemovedMessages(messages, removals) {
	const hide = (read, nothing) => async (chat, ...rest) => {
		if (removals.has(chat)) return nothing;
		const result = await read(chat, ...rest);
		return await removals.isMarked(chat) ? nothing : result;
	};
	return {
		load: hide(messages.load, void 0),
		savedSeq: hide(messages.savedSeq, void 0),
		find: hide(messages.find, void 0),
		outline: hide(messages.outline, []),
		places: hide(messages.places, /* @__PURE__ */ new Map()),
		branch: hide(messages.branch, {
			messages: [],
			hasOlder: false
		}),
		subAgents: hide(messages.subAgents, /* @__PURE__ */ new Map()),
		previous: hide(messages.previous, void 0),
		root: hide(messages.root, void 0),
		last: hide(messages.last, "")
	};
}
/** Returns the same finder, which does not find the runs of chats that are being removed. */
function hideRemovedRuns(runs, removals) {
	const visible = (run) => run === void 0 || removals.has(run) ? void 0 : run;
	return {
		active: async (chat) => visible(await runs.active(chat)),
		get: async (ownerId, id) => visible(await runs.get(ownerId, id)),
		ofUserMessage: async (chat, id) => visible(await runs.ofUserMessage(chat, id)),
		lastOfUserMessage: async (chat, id) => visible(await runs.lastOfUserMessage(chat, id)),
		ofAnswer: async (chat, id) => visible(await runs.ofAnswer(chat, id)),
		unfinished: async () => (await runs.unfinished()).filter((run) => !removals.has(run)),
		toStop: async () => (await runs.toStop()).filter((run) => !removals.has(run)),
		damaged: async () => (await runs.damaged()).filter(({ chat }) => chat === void 0 || !removals.has(chat))
	};
}
// packages/store/src/line-turns.ts
/**
* Part of claiming a run: takes its submission out of the line. Has no effect unless the submission is the first. The body
* counts too: somebody may have edited the message since it was read. Or under the same id, another submission may have
* come after this one was removed.
*/
function leaveLine({ build }, chat, { id, body }) {
	return build.deleteFrom("waiting_submissions").where(ofChat(chat)).where("id", "=", id).where("body", "=", body).where(({ eb, selectFrom }) => eb("idx", "=", selectFrom("waiting_submissions as line").select(({ fn }) => fn.min("line.idx").as("first")).where("line.owner_id", "=", chat.ownerId).where("line.chat_id", "=", chat.chatId)));
}
/** Part of claiming a run whose submission does not wait. Selects no row when others wait in the chat. */
function nobodyWaits({ build }, chat) {
	return build.selectNoFrom(({ lit }) => lit(1).as("free")).where(({ not, exists, selectFrom }) => not(exists(selectFrom("waiting_submissions").select("id").where(ofChat(chat)))));
}
// packages/store/src/message-rows.ts
/** Returns the message of a row, with the parts of its part rows. Throws an `SqlError` when a row is damaged. */
function messageFrom(row, parts) {
	const { id, role, ...rest } = outlineFrom(row);
	return {
		id,
		role,
		parts: parts.map(({ body }) => partFrom(id, body)),
		...rest
	};
}
/** Returns the message of a row, without its parts. Throws an `SqlError` when the row is damaged. */
function outlineFrom({ id, role, metadata: json }) {
	const metadata = parseJson(json);
	if (!isMetadata(metadata)) throw damaged(id);
	return Object.keys(metadata).length === 0 ? {
		id,
		role
	} : {
		id,
		role,
		metadata
	};
}
function partFrom(messageId, body) {
	const part = parseJson(body);
	if (!isPart(part)) throw damaged(messageId);
	return part;
}
function isPart(value) {
	return isRecord(value) && typeof value["type"] === "string";
}
function isMetadata(value) {
	return isRecord(value);
}
function damaged(messageId) {
	return new SqlError("damaged", `A row of message ${messageId} is damaged. Restore the database from a backup.`);
}
// packages/store/src/load-messages.ts
/** How many messages are looked up at once. */
var sliceLength = 64;
/** How large the parts are that are read at once, in bytes. A message with larger parts is read alone. */
var groupBytes = 262144;
/**
* Reads all messages of a chat in slices, so that a long chat delays nobody else. Returns `undefined` when there is no
* such chat.
*
* The ids of all messages are read at one moment, together with `savedSeq`. Everything else may be read later: the parts
* of a saved message never change. Metadata that changes in between, and messages that are deleted, are no problem. The
* log has entries after `savedSeq` for them, and folding such an entry twice is harmless.
*/
async function loadMessages(loading, chat) {
	const [[record] = [], [all] = []] = await loading.sql.read([savedStatement(chat), {
		sql: idsSql(loading.dialect),
		sets: [[chat.ownerId, chat.chatId]]
	}]);
	if (record === void 0) return void 0;
	const ids = z.array(z.string()).parse(JSON.parse(z.string().parse(all?.["ids"])));
	const messages = [];
	for (let start = 0; start < ids.length; start += sliceLength) {
		const slice = ids.slice(start, start + sliceLength);
		for (const group of await groupsOf(loading, chat, slice)) {
			const read = await readGroup(loading, chat, group);
			if (read === void 0) return void 0;
			for (const saved of read) messages.push(saved);
		}
	}
	return {
		messages,
		savedSeq: z.number().parse(record["saved_seq"])
	};
}
/** Selects the last entry of the log that the saved messages contain. Selects no row when there is no such chat. */
function savedStatement({ ownerId, chatId }) {
	return {
		sql: savedSql,
		sets: [[ownerId, chatId]]
	};
}
/** Reads the rows of some messages, in groups whose parts can be read at once. */
async function groupsOf({ sql, inTurn }, chat, ids) {
	const sets = ids.map((id) => [
		chat.ownerId,
		chat.chatId,
		id
	]);
	const [rows] = await inTurn(() => sql.read([{
		sql: rowSql,
		sets
	}]));
	const groups = [];
	let room = 0;
	for (const row of z.array(rowWithSize).parse(rows)) {
		room -= row.bytes;
		const group = groups.at(-1);
		if (group !== void 0 && room >= 0) group.push(row);
		else {
			groups.push([row]);
			room = groupBytes - row.bytes;
		}
	}
	return groups;
}
async function readGroup({ sql, inTurn }, chat, group) {
	const sets = group.map((row) => [
		chat.ownerId,
		chat.chatId,
		row.id
	]);
	const [parts, saved = []] = await inTurn(() => sql.read([{
		sql: partsSql,
		sets
	}, savedStatement(chat)]));
	if (saved.length === 0) return void 0;
	const partsById = Map.groupBy(z.array(partRow).parse(parts), (part) => part.message_id);
	return group.map((row) => ({
		message: messageFrom(row, partsById.get(row.id) ?? []),
		runId: row.run_id
	}));
}
var rowWithSize = messageRow.extend({ bytes: z.number() });
var savedSql = "select saved_seq from chats where owner_id = ? and id = ? and removed_at is null";
function idsSql({ jsonList }) {
	return `select ${jsonList("id", "seq is null, seq")} as ids from messages where owner_id = ? and chat_id = ?`;
}
var rowSql = `select *, (
    select coalesce(sum(octet_length(parts.body)), 0) from parts
    where parts.owner_id = messages.owner_id and parts.chat_id = messages.chat_id and parts.message_id = messages.id
  ) as bytes from messages where owner_id = ? and chat_id = ? and id = ?`;
/** Selects the parts of one message. */
var partsSql = "select * from parts where owner_id = ? and chat_id = ? and message_id = ? order by idx";
// packages/store/src/message-tree-sql.ts
/** Returns the statements for a database. */
function messageTreeSql(dialect) {
	const words = treeWords(dialect);
	return {
		branch: branchSql(words),
		subAgents: subAgentsSql(words),
		previous: `select ${words.previousOf("m")} as previous from messages m
      where m.owner_id = ? and m.chat_id = ? and m.id = ? and not ${words.isSubAgents("m")}`,
		root: rootSql(words),
		lastOpen: lastSql(words, "m.seq is null"),
		lastPlaced: lastSql(words, "m.seq is not null")
	};
}
/** Returns expressions about a message, by the name that its table has in the statement. */
function treeWords({ jsonText, hasJsonKey }) {
	/** The condition for a message of a sub-agent. The same rule as in `branches.ts` of the protocol. */
	const isSubAgents = (table) => {
		return `(coalesce(${jsonText(`${table}.metadata`, ["agent", "kind"])}, '') = 'sub' or ${hasJsonKey(`${table}.metadata`, "parent")})`;
	};
	/**
	* The id of the last message before a message that is not a sub-agent's. The user's message of a run that goes on has
	* no place yet: it comes last.
	*/
	const beforeOf = (table) => `(select before.id from messages before
      where before.owner_id = ${table}.owner_id and before.chat_id = ${table}.chat_id
        and before.seq < coalesce(${table}.seq, ${Number.MAX_SAFE_INTEGER}) and not ${isSubAgents("before")}
      order by before.seq desc limit 1)`;
	return {
		isSubAgents,
		/** The id of the message that a message follows; empty when it follows none. */
		previousOf: (table) => `coalesce(${jsonText(`${table}.metadata`, ["previousMessageId"])}, ${beforeOf(table)}, '')`,
		/** The id of the message that a sub-agent's message was written for; null for other messages. */
		parentOf: (table) => `case when ${isSubAgents(table)}
      then coalesce(${jsonText(`${table}.metadata`, ["parent", "messageId"])}, ${beforeOf(table)}, '') end`
	};
}
function branchSql({ isSubAgents, previousOf }) {
	return `with recursive branch (n, owner_id, chat_id, id, previous) as (
    select 1, m.owner_id, m.chat_id, m.id, ${previousOf("m")} from messages m
      where m.owner_id = ? and m.chat_id = ? and m.id = ? and not ${isSubAgents("m")}
    union all
    select n + 1, m.owner_id, m.chat_id, m.id, ${previousOf("m")} from branch
      join messages m on m.owner_id = branch.owner_id and m.chat_id = branch.chat_id and m.id = branch.previous
      where n < ? and not ${isSubAgents("m")}
  )
  select messages.*, (
      select coalesce(sum(octet_length(parts.body)), 0) from parts
      where parts.owner_id = messages.owner_id and parts.chat_id = messages.chat_id and parts.message_id = messages.id
    ) as bytes
  from branch join messages using (owner_id, chat_id, id) order by n`;
}
function subAgentsSql({ isSubAgents }) {
	return `select sub.*, m.id as behind from messages m
  join messages sub on sub.owner_id = m.owner_id and sub.chat_id = m.chat_id and sub.seq > m.seq
    and sub.seq < coalesce(
      (select next.seq from messages next
        where next.owner_id = m.owner_id and next.chat_id = m.chat_id
          and next.seq > m.seq and not ${isSubAgents("next")}
        order by next.seq limit 1),
      ${Number.MAX_SAFE_INTEGER})
  where m.owner_id = ? and m.chat_id = ? and m.id = ? order by sub.seq`;
}
var maxDepth = 64;
function rootSql({ parentOf }) {
	return `with recursive lineage (n, owner_id, chat_id, id, parent) as (
    select 1, m.owner_id, m.chat_id, m.id, ${parentOf("m")} from messages m
      where m.owner_id = ? and m.chat_id = ? and m.id = ?
    union all
    select n + 1, m.owner_id, m.chat_id, m.id, ${parentOf("m")} from lineage
      join messages m on m.owner_id = lineage.owner_id and m.chat_id = lineage.chat_id and m.id = lineage.parent
      where n < ${maxDepth}
  )
  select coalesce(parent, id) as root from lineage order by n desc limit 1`;
}
function lastSql({ isSubAgents }, condition) {
	return `select m.id from messages m
    where m.owner_id = ? and m.chat_id = ? and m.role in (?, ?, ?) and ${condition} and not ${isSubAgents("m")}
    order by m.seq desc limit 1`;
}
// packages/store/src/message-tree.ts
/** Returns the message tree of the chats in a database. */
function createMessageTree({ sql, dialect }) {
	const select = messageTreeSql(dialect);
	return {
		async branch(chat, id, limits) {
			const found = await sql.read([{
				sql: select.branch,
				sets: [[
					chat.ownerId,
					chat.chatId,
					id,
					limits.maxMessages + 1
				]]
			}]);
			const rows = withoutCircle(z.array(branchRow).parse(found[0]));
			const chosen = withinLimits(rows, limits);
			return {
				messages: await withParts(sql, chat, chosen.toReversed()),
				hasOlder: chosen.length < rows.length
			};
		},
		async subAgents(chat, ids) {
			const [rows] = await sql.read([{
				sql: select.subAgents,
				sets: ids.map((id) => [
					chat.ownerId,
					chat.chatId,
					id
				])
			}]);
			const found = z.array(subAgentRow).parse(rows);
			const messages = await withParts(sql, chat, found);
			return Map.groupBy(messages, (_, index) => found[index]?.behind ?? "");
		},
		async previous(chat, id) {
			const [[row] = []] = await sql.read([{
				sql: select.previous,
				sets: [[
					chat.ownerId,
					chat.chatId,
					id
				]]
			}]);
			return row === void 0 ? void 0 : textFrom(row, "previous");
		},
		async root(chat, id) {
			const [[top] = []] = await sql.read([{
				sql: select.root,
				sets: [[
					chat.ownerId,
					chat.chatId,
					id
				]]
			}]);
			return top === void 0 ? void 0 : textFrom(top, "root");
		},
		async last(chat, role) {
			const roles = role === void 0 ? [
				"user",
				"assistant",
				"system"
			] : [
				role,
				role,
				role
			];
			const set = [
				chat.ownerId,
				chat.chatId,
				...roles
			];
			const [[open] = [], [placed] = []] = await sql.read([{
				sql: select.lastOpen,
				sets: [set]
			}, {
				sql: select.lastPlaced,
				sets: [set]
			}]);
			const row = open ?? placed;
			return row === void 0 ? "" : textFrom(row, "id");
		}
	};
}
async function withParts(sql, chat, rows) {
	const [parts] = await sql.read([{
		sql: partsSql,
		sets: rows.map((row) => [
			chat.ownerId,
			chat.chatId,
			row.id
		])
	}]);
	const partsById = Map.groupBy(z.array(partRow).parse(parts), (part) => part.message_id);
	return rows.map((row) => messageFrom(row, partsById.get(row.id) ?? []));
}
var subAgentRow = messageRow.extend({ behind: z.string() });
var branchRow = messageRow.extend({ bytes: z.number() });
/** Stored messages may be damaged. If they follow each other in a circle, the branch ends where the circle closes. */
function withoutCircle(rows) {
	const seen = /* @__PURE__ */ new Set();
	const end = rows.findIndex(({ id }) => seen.has(id) || !seen.add(id));
	return end === -1 ? rows : rows.slice(0, end);
}
/** Returns the first rows that stay within the limits. Rows come newest first. */
function withinLimits(rows, { maxMessages, maxBytes }) {
	let bytes = 0;
	const end = rows.findIndex((row, index) => {
		bytes += row.bytes;
		return index > 0 && (index >= maxMessages || bytes > maxBytes);
	});
	return end === -1 ? rows : rows.slice(0, end);
}
function textFrom(row, column) {
	return z.string().parse(row[column]);
}
// packages/store/src/messages.ts
/** Returns the messages in a database. */
function createMessages(database) {
	const { build, sql, dialect } = database;
	const inTurn = takeTurns(2);
	const messagesOf = (chat) => build.selectFrom("messages").selectAll().where(ofChat(chat));
	const inOrder = (chat) => messagesOf(chat).orderBy(({ eb }) => eb("seq", "is", null)).orderBy("seq");
	return {
		...createMessageTree(database),
		load: (chat) => loadMessages({
			sql,
			dialect,
			inTurn
		}, chat),
		async savedSeq(chat) {
			const [[row] = []] = await sql.read([savedStatement(chat)]);
			return row && z.number().parse(row["saved_seq"]);
		},
		async find(chat, id) {
			const [messages, parts] = await sql.read([statement(messagesOf(chat).where("id", "=", id)), {
				sql: partsSql,
				sets: [[
					chat.ownerId,
					chat.chatId,
					id
				]]
			}]);
			const [row] = z.array(messageRow).parse(messages);
			return row === void 0 ? void 0 : messageFrom(row, z.array(partRow).parse(parts));
		},
		async outline(chat) {
			const [rows] = await sql.read([statement(inOrder(chat))]);
			return z.array(messageRow).parse(rows).map(outlineFrom);
		},
		async places(chat) {
			const [rows] = await sql.read([statement(inOrder(chat))]);
			const placed = z.array(messageRow).parse(rows);
			return new Map(placed.flatMap(({ id, seq }) => seq === null ? [] : [[id, seq]]));
		}
	};
}
/** Writes a new message. Fails with `constraint` when the chat has a message of this id. */
function insertMessage(database, chat, saved) {
	const [, ...parts] = saveMessage(database, chat, saved);
	return [statement(database.build.insertInto("messages").values(rowOf(chat, saved))), ...parts];
}
/** Writes a message and its parts, or replaces them. Idempotent. */
function saveMessage({ build }, chat, saved) {
	const { message } = saved;
	const values = rowOf(chat, saved);
	const upsert = build.insertInto("messages").values(values).onConflict((conflict) => conflict.columns([
		"owner_id",
		"chat_id",
		"id"
	]).doUpdateSet({
		metadata: values.metadata,
		seq: values.seq,
		run_id: values.run_id
	}));
	const surplus = build.deleteFrom("parts").where(ofChat(chat)).where("message_id", "=", message.id).where("idx", ">=", message.parts.length);
	const parts = message.parts.map((part, idx) => {
		const body = JSON.stringify(part);
		return statement(build.insertInto("parts").values({
			...chatColumns(chat),
			message_id: message.id,
			idx,
			body
		}).onConflict((conflict) => conflict.columns([
			"owner_id",
			"chat_id",
			"message_id",
			"idx"
		]).doUpdateSet({ body })));
	});
	return [
		statement(upsert),
		statement(surplus),
		...parts
	];
}
function rowOf(chat, { message, runId, seq }) {
	return {
		...chatColumns(chat),
		id: message.id,
		role: message.role,
		metadata: JSON.stringify(message.metadata ?? {}),
		run_id: runId,
		seq: seq ?? null
	};
}
// packages/store/src/runs.ts
/** Returns whether a run writes an answer. */
function hasAnswer({ kind }) {
	return kind !== "message" && kind !== "change";
}
// packages/store/src/usage-days.ts
/** Returns what was used by day, in a database. */
function createUsageDays(database) {
	return { async since(ownerId, day) {
		return (await readRows(database, database.build.selectFrom("usage_days").selectAll().where("owner_id", "=", ownerId).where("day", ">=", day).orderBy("day").orderBy("agent").orderBy("model"), usageDayRow)).map((row) => ({
			day: row.day,
			agent: row.agent,
			model: row.model,
			inputTokens: row.input_tokens,
			outputTokens: row.output_tokens,
			cost: row.cost_nanos / nanos,
			unpricedTokens: row.unpriced_tokens
		}));
	} };
}
/** Returns statements that add what a run has used to the sums of the day on which it ends. */
function addUsage(database, ownerId, { at, usage }) {
	return usage.toSorted((one, other) => keyOf$1(one) < keyOf$1(other) ? -1 : 1).map(({ agent, model, cost, ...counts }) => {
		const inputTokens = Math.round(counts.inputTokens);
		const outputTokens = Math.round(counts.outputTokens);
		const row = {
			owner_id: ownerId,
			day: at.slice(0, 10),
			agent,
			model,
			input_tokens: inputTokens,
			output_tokens: outputTokens,
			cost_nanos: Math.round((cost ?? 0) * nanos),
			unpriced_tokens: cost === void 0 ? inputTokens + outputTokens : 0
		};
		const sum = (column) => sql`${sql.ref(`usage_days.${column}`)} + ${sql.ref(`excluded.${column}`)}`;
		return statement(database.build.insertInto("usage_days").values(row).onConflict((conflict) => conflict.columns([
			"owner_id",
			"day",
			"agent",
			"model"
		]).doUpdateSet({
			input_tokens: sum("input_tokens"),
			output_tokens: sum("output_tokens"),
			cost_nanos: sum("cost_nanos"),
			unpriced_tokens: sum("unpriced_tokens")
		})));
	});
}
/** Money is kept in billionths of a dollar. Sums of whole numbers are exact, in any order. */
var nanos = 1e9;
function keyOf$1({ agent, model }) {
	return JSON.stringify([agent, model]);
}
// packages/store/src/create-runs.ts
/** So many ends are saved in one turn of the event loop. To prepare one takes longer than all else that a delta needs. */
var endsPerTurn = 4;
/** Returns the runs in a database. */
function createRuns(database, removals) {
	const { sql } = database;
	const update = (run) => updateRunning(database, run).where("attempt", "=", run.attempt ?? 0);
	const takeTurn = shareTurns(endsPerTurn);
	return {
		...hideRemovedRuns(createRunFinder(database), removals),
		async claim(run, start) {
			const statements = claimStatements(database, run, start);
			for (;;) {
				await removals.gone(run);
				try {
					return await succeeds("constraint", () => sql.write(statements), () => isSaved(database, run, {
						status: "running",
						ended_at: null
					}));
				} catch (error) {
					if (!(error instanceof SqlError && error.code === "no-effect")) throw error;
					if (!await removals.wasInTheWay(run) && mayBeRefused(start)) return false;
				}
			}
		},
		async takeOver(run) {
			const taken = {
				...run,
				attempt: (run.attempt ?? 0) + 1
			};
			const take = statement(update(run).set({ attempt: (run.attempt ?? 0) + 1 }), { mustChange: true });
			return await succeeds("no-effect", () => sql.write([take]), () => isSaved(database, taken, {
				status: "running",
				ended_at: null
			})) ? readTaken(database, taken) : void 0;
		},
		async noteUsage(run, usage) {
			await confirmed(() => sql.write([statement(update(run).set({ usage }))]));
		},
		requestStop(run, { by, at }) {
			const request = updateRunning(database, run).set({
				stop_requested_at: at,
				stop_requested_by: by
			}).where("stop_requested_at", "is", null);
			return succeeds("no-effect", () => sql.write([statement(request, { mustChange: true })]));
		},
		async save(run, message) {
			const isRunning = statement(update(run).set({ status: "running" }), { mustChange: true });
			await confirmed(() => sql.write([isRunning, ...saveMessage(database, run, message)]));
		},
		async end(run, end) {
			await takeTurn();
			const ended = {
				status: end.status,
				ended_at: end.at,
				context: null
			};
			const statements = [
				statement(update(run).set(ended), { mustChange: true }),
				statement(voidApprovals(database, run, end.at)),
				...saveEnd(database, run, end)
			];
			return succeeds("no-effect", () => sql.write(statements), () => isSaved(database, run, {
				status: end.status,
				ended_at: end.at
			}));
		},
		endDamaged: (run, end) => succeeds("no-effect", () => sql.write(damagedEnd(database, run, end)))
	};
}
function updateRunning({ build }, { ownerId, id }) {
	return build.updateTable("runs").where("owner_id", "=", ownerId).where("id", "=", id).where("status", "=", running);
}
/**
* Returns whether a claim without an effect may have another reason than the removal of its chat. A new message without
* files, which waits for nobody, has no other: it makes its chat.
*/
function mayBeRefused({ userMessage, files = [], turn }) {
	return userMessage === void 0 || files.length > 0 || turn !== void 0;
}
/** Reads what is needed to go on with a run that was taken over. */
async function readTaken(database, run) {
	const [row] = await readRows(database, database.build.selectFrom("runs").selectAll().where("owner_id", "=", run.ownerId).where("id", "=", run.id), runRow);
	const by = row?.stop_requested_by ?? void 0;
	return {
		run: by === void 0 ? run : {
			...run,
			stopRequestedBy: by
		},
		context: row?.context ?? void 0,
		usage: row?.usage ?? void 0
	};
}
/** Returns whether the row of a run has these values: whether a write that nobody confirmed has taken effect. */
async function isSaved({ build, sql }, { ownerId, id, attempt = 0 }, { status, ended_at }) {
	const row = build.selectFrom("runs").select("id").where("owner_id", "=", ownerId).where("id", "=", id).where("attempt", "=", attempt).where("status", "=", status).where("ended_at", ended_at === null ? "is" : "=", ended_at);
	const [rows = []] = await sql.read([statement(row)]);
	return rows.length > 0;
}
/** Saves the messages of a run that ends, how far the chat has saved its log, and what the run has used. */
function saveEnd(database, chat, { at, seq, messages, changes, usage = [] }) {
	const { kind } = chat;
	const isAnswered = kind === void 0 || hasAnswer({ kind });
	const saved = database.build.updateTable("chats").set({
		saved_seq: seq,
		updated_at: at,
		...isAnswered ? { answered_at: at } : {}
	}).where("owner_id", "=", chat.ownerId).where("id", "=", chat.chatId);
	return [
		...messages.flatMap((message) => saveMessage(database, chat, message)),
		...changes === void 0 ? [] : changeMessages(database, chat, changes),
		statement(saved),
		...addUsage(database, chat.ownerId, {
			at,
			usage
		})
	];
}
/** Ends a run whose row is damaged. */
function damagedEnd(database, { rowName, id, chat }, end) {
	return [
		{
			sql: `update runs set status = ?, ended_at = ?, context = null where ${database.dialect.isRow("runs")} and status = 'running'`,
			sets: [[
				end.status,
				end.at,
				rowName
			]],
			mustChange: true
		},
		...chat === void 0 || id === void 0 ? [] : [statement(voidApprovals(database, {
			ownerId: chat.ownerId,
			id
		}, end.at))],
		...chat === void 0 ? [] : saveEnd(database, chat, end)
	];
}
function claimStatements(database, run, { chat, userMessage, files = [], nodeId = "", context, turn }) {
	const { build } = database;
	const inTurn = turnStatements(database, run, turn);
	const row = {
		...rowOf$1(run),
		node_id: nodeId,
		context: context ?? null
	};
	const insertRun = statement(build.insertInto("runs").values(row));
	const touchChat = statement(build.updateTable("chats").set(({ eb, ref }) => ({
		updated_at: run.startedAt,
		title: eb.case().when("title", "=", "").then(chat.title).else(ref("title")).end()
	})).where("owner_id", "=", run.ownerId).where("id", "=", run.chatId).where("removed_at", "is", null), { mustChange: true });
	if (userMessage !== void 0) {
		const makeChat = statement(insertChat(database, run.ownerId, chat));
		return [
			...inTurn,
			makeChat,
			touchChat,
			insertRun,
			...insertFiles(database, run, files),
			...insertMessage(database, run, userMessage)
		];
	}
	if (run.kind === "change") return [touchChat, insertRun];
	const answered = build.selectFrom("messages").select("id").where(ofChat(run)).where("id", "=", run.userMessageId);
	return [
		...inTurn,
		touchChat,
		insertRun,
		statement(answered, { mustChange: true })
	];
}
/** If it is not the run's turn, this changes or selects no row, and the transaction is undone. */
function turnStatements(database, run, turn) {
	if (turn === void 0) return [];
	return [statement(turn.type === "waited" ? leaveLine(database, run, turn.waiting) : nobodyWaits(database, run), { mustChange: true })];
}
// packages/store/src/definitions.ts
/** Returns the definitions in a database. */
function createDefinitions(database) {
	const { build, sql } = database;
	const ofOwner = (ownerId) => build.selectFrom("sub_agents").selectAll().where("owner_id", "=", ownerId);
	/** Returns whether a write that nobody confirmed has taken effect. */
	async function isSaved(ownerId, { id, version, updatedAt }) {
		return (await readRows(database, ofOwner(ownerId).where("id", "=", id).where("version", "=", version).where("updated_at", "=", updatedAt), subAgentRow$1)).length > 0;
	}
	return {
		async list(ownerId) {
			return (await readRows(database, ofOwner(ownerId).orderBy("name").orderBy("workspace_id"), subAgentRow$1)).map(definitionFromRow);
		},
		async get(ownerId, { name, workspaceId = "" }) {
			const [row] = await readRows(database, ofOwner(ownerId).where("workspace_id", "=", workspaceId).where("name", "=", name), subAgentRow$1);
			return row === void 0 ? void 0 : definitionFromRow(row);
		},
		async create(ownerId, draft) {
			const { id, name, workspaceId = "" } = draft;
			const row = {
				owner_id: ownerId,
				id,
				name,
				workspace_id: workspaceId,
				version: 1,
				...columnsOf$1(draft)
			};
			const insert = build.insertInto("sub_agents").values(row);
			return await succeeds("constraint", () => sql.write([statement(insert)]), () => isSaved(ownerId, {
				id,
				version: 1,
				updatedAt: draft.updatedAt
			})) ? {
				...draft,
				version: 1
			} : void 0;
		},
		async update(ownerId, draft, replaced) {
			const { id, name, workspaceId = "" } = draft;
			const version = replaced.version + 1;
			const update = build.updateTable("sub_agents").set({
				version,
				...columnsOf$1(draft)
			}).where("owner_id", "=", ownerId).where("id", "=", id).where("workspace_id", "=", workspaceId).where("name", "=", name).where("version", "=", replaced.version);
			return await succeeds("no-effect", () => sql.write([statement(update, { mustChange: true })]), () => isSaved(ownerId, {
				id,
				version,
				updatedAt: draft.updatedAt
			})) ? {
				...draft,
				version
			} : void 0;
		},
		remove(ownerId, { name, workspaceId = "" }) {
			const remove = build.deleteFrom("sub_agents").where("owner_id", "=", ownerId).where("workspace_id", "=", workspaceId).where("name", "=", name);
			return deletes(() => sql.write([statement(remove, { mustChange: true })]));
		}
	};
}
function columnsOf$1({ enabled, fields, updatedAt }) {
	return {
		enabled: enabled ? 1 : 0,
		definition: JSON.stringify(fields),
		updated_at: updatedAt
	};
}
var fieldsSchema = z.record(z.string(), z.unknown());
function definitionFromRow(row) {
	const { id, name, workspace_id, version, updated_at } = row;
	return {
		id,
		name,
		...workspace_id === "" ? {} : { workspaceId: workspace_id },
		enabled: row.enabled === 1,
		fields: fieldsSchema.parse(JSON.parse(row.definition)),
		version,
		updatedAt: updated_at
	};
}
// packages/store/src/live-nodes.ts
/** A node whose last beat is longer ago is dead, in milliseconds. Others take over what it did. */
var deadAfterMs = 15e3;
/** SQL for the time by the clock of the database, in milliseconds since 1970. Nodes have no other clock in common. */
function nowMs({ clock, dialect }) {
	return clock === void 0 ? sql.raw(dialect.now) : sql.lit(clock());
}
/**
* SQL for whether the node that a column names has beaten in time. False for a name that is empty or unknown.
*
* Not `exists`: Postgres makes a join of `not exists`, and when another transaction has changed the row meanwhile, it
* looks at the new row with an empty table of nodes. Two nodes would take the same run.
*/
function isLive(database, column) {
	return sql`coalesce((select live.seen_at > ${nowMs(database)} - ${sql.lit(deadAfterMs)}
    from nodes as live where live.id = ${sql.ref(column)}), false)`;
}
/** SQL for the opposite. */
function isNotLive(database, column) {
	return sql`not ${isLive(database, column)}`;
}
// packages/store/src/delivery-owners.ts
/** Returns the owners of the deliveries in a database. */
function createDeliveryOwners(database) {
	const { build, sql } = database;
	return {
		claim(chat, nodeId) {
			const claim = build.updateTable("channel_chats").set({ delivered_by: nodeId }).where(ofChat(chat)).where(({ eb, or }) => or([eb("delivered_by", "=", nodeId), isNotLive(database, "channel_chats.delivered_by")]));
			return succeeds("no-effect", () => sql.write([statement(claim, { mustChange: true })]));
		},
		async release(chat, nodeId) {
			const release = build.updateTable("channel_chats").set({ delivered_by: "" }).where(ofChat(chat)).where("delivered_by", "=", nodeId);
			await confirmed(() => sql.write([statement(release)]));
		},
		async elsewhere(nodeId) {
			const rows = await readRows(database, build.selectFrom("channel_chats").selectAll().where("delivered_by", "!=", nodeId).where(isLive(database, "channel_chats.delivered_by")), channelChatRow);
			return new Set(rows.flatMap(({ owner_id: ownerId, chat_id: chatId }) => isOwnerId(ownerId) && isChatId(chatId) ? [logName({
				ownerId,
				chatId
			})] : []));
		}
	};
}
// packages/store/src/due-trims.ts
var pageSize = 50;
/** Returns what can be trimmed in a database. */
function createDueTrims({ sql, dialect }, removals) {
	const select = dueSql(dialect);
	return { async find({ endedBefore, maxEntries }, after) {
		const [rows] = await sql.read([{
			sql: select,
			sets: [[
				endedBefore ?? "",
				maxEntries ?? -1,
				after?.ownerId ?? "",
				after?.chatId ?? ""
			]]
		}]);
		const chats = z.array(dueRow).parse(rows).map(dueFrom);
		return {
			trims: chats.filter((chat) => chat.upTo > chat.trimmed && !removals.has(chat)),
			last: chats.length < pageSize ? void 0 : chats.at(-1)
		};
	} };
}
var dueRow = z.object({
	owner_id: z.string(),
	id: z.string(),
	trimmed: z.number(),
	/** The last entry that the saved messages contain. */
	saved_seq: z.number(),
	/** All entries of the newest run come after this one. */
	newest_after: z.number().nullable(),
	/** All entries of runs that go on, or are too young, come after this one. */
	young_after: z.number().nullable(),
	/** All entries of runs that go on, or are among the newest entries, come after this one. */
	recent_after: z.number().nullable(),
	/** The channel has everything up to this entry. Null when the chat is in no channel. */
	delivered: z.number().nullable()
});
function dueFrom(row) {
	const { owner_id: ownerId, id: chatId, trimmed } = row;
	if (!isOwnerId(ownerId) || !isChatId(chatId)) throw new SqlError("failed", `The row of chat "${chatId}" is damaged.`);
	const byAge = row.young_after ?? row.saved_seq;
	const byCount = row.recent_after ?? row.newest_after ?? 0;
	return {
		ownerId,
		chatId,
		trimmed,
		upTo: Math.min(Math.max(byAge, byCount), row.saved_seq, row.delivered ?? row.saved_seq)
	};
}
function dueSql({ delivered }) {
	return `with rules (ended_before, max_entries, owner_id, chat_id) as (
    select cast(? as text), cast(? as bigint), cast(? as text), cast(? as text))
  select chats.owner_id, chats.id, chats.saved_seq, logs.trimmed,
    (select max(after_seq) from runs
      where runs.owner_id = chats.owner_id and runs.chat_id = chats.id) as newest_after,
    (select min(after_seq) from runs
      where runs.owner_id = chats.owner_id and runs.chat_id = chats.id
        and (ended_at is null or ended_at >= ended_before)) as young_after,
    (select min(after_seq) from runs
      where runs.owner_id = chats.owner_id and runs.chat_id = chats.id
        and (ended_at is null or max_entries < 0 or after_seq >= chats.saved_seq - max_entries)) as recent_after,
    (select ${delivered} from channel_chats
      where channel_chats.owner_id = chats.owner_id and channel_chats.chat_id = chats.id) as delivered
  from rules, chats join logs on logs.name = chats.owner_id || '/' || chats.id
  where chats.removed_at is null and (chats.owner_id, chats.id) > (rules.owner_id, rules.chat_id)
  order by chats.owner_id, chats.id limit ${pageSize}`;
}
// packages/store/src/file-sweeps.ts
/** Removes the bytes of files that were never saved: now, and then every hour. */
function startFileSweeps(unsaved, { report, everyMs = 36e5 }) {
	let current = sweep();
	const timer = setInterval(() => {
		current = current.then(sweep);
	}, everyMs).unref();
	async function sweep() {
		try {
			await unsaved.sweep();
		} catch (error) {
			if (error instanceof SqlError && error.code === "closed") return;
			report(`Files that were never saved could not be removed yet: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
	return { async close() {
		clearInterval(timer);
		await current;
	} };
}
// packages/store/src/job-leases.ts
/** A lease that is not renewed for so long can be taken by another node, in milliseconds. */
var leaseMs = 15e3;
/** Returns the leases of jobs in a database. */
function createJobLeases(database) {
	const { build, sql: sql$2 } = database;
	return {
		async take(job, nodeId) {
			const until = sql`${nowMs(database)} + ${sql.lit(leaseMs)}`;
			const isMine = sql`job_leases.node_id = ${nodeId}`;
			const take = build.insertInto("job_leases").values({
				name: job,
				node_id: nodeId,
				fence: 1,
				until
			}).onConflict((conflict) => conflict.column("name").doUpdateSet({
				node_id: nodeId,
				fence: sql`job_leases.fence + case when ${isMine} then 0 else 1 end`,
				until
			}).where(({ or }) => or([isMine, sql`job_leases.until <= ${nowMs(database)}`]))).returning("fence");
			const [rows = []] = await sql$2.write([statement(take)]);
			return z.array(fenceRow).parse(rows)[0]?.fence;
		},
		async giveBack(job, nodeId) {
			const end = build.updateTable("job_leases").set({ until: 0 }).where("name", "=", job).where("node_id", "=", nodeId);
			await confirmed(() => sql$2.write([statement(end)]));
		}
	};
}
var fenceRow = z.object({ fence: z.number() });
// packages/store/src/nodes.ts
/** Returns the nodes that share a database. */
function createNodes(database) {
	const { build, sql: sql$1 } = database;
	return {
		async beat(nodeId) {
			const before = build.selectFrom("nodes").select(sql`${nowMs(database)} - seen_at`.as("silent_ms")).where("id", "=", nodeId);
			const beat = build.insertInto("nodes").values({
				id: nodeId,
				seen_at: nowMs(database)
			}).onConflict((conflict) => conflict.column("id").doUpdateSet({ seen_at: nowMs(database) }));
			const dead = build.selectFrom("nodes").select("id").where(isNotLive(database, "nodes.id")).limit(1);
			const [last = [], , found = []] = await sql$1.write([
				statement(before),
				statement(beat),
				statement(dead)
			]);
			const [silence] = z.array(silenceRow).parse(last);
			return {
				isSomeoneDead: found.length > 0,
				silentMs: silence?.silent_ms ?? 0
			};
		},
		async resign(nodeId) {
			const resign = build.updateTable("nodes").set({ seen_at: 0 }).where("id", "=", nodeId);
			await confirmed(() => sql$1.write([statement(resign)]));
		},
		async live() {
			const query = build.selectFrom("nodes").select("id").where(isLive(database, "nodes.id"));
			return new Set((await readRows(database, query, idRow)).map(({ id }) => id));
		},
		async removeDead() {
			const busy = build.selectFrom("runs").select("node_id").where("status", "=", running);
			const remove = build.deleteFrom("nodes").where(isNotLive(database, "nodes.id")).where("id", "not in", busy).returning("id");
			const [rows = []] = await sql$1.write([statement(remove)]);
			return rows.length;
		}
	};
}
var idRow = z.object({ id: z.string() });
var silenceRow = z.object({ silent_ms: z.number() });
// packages/store/src/operator-replies.ts
/** The values of the column `said`. */
var [waiting, said, taken] = [
	0,
	1,
	2
];
/** Returns the replies of operators in a database. */
function createOperatorReplies(database) {
	const { build, sql } = database;
	async function find(chat, answerId) {
		const [row] = await readRows(database, build.selectFrom("operator_replies").selectAll().where(ofChat(chat)).where("answer_id", "=", answerId), operatorReplyRow);
		return row && replyFrom(row);
	}
	return {
		find,
		findAll: (names) => findAll(database, names),
		take(chat, answerId) {
			const take = build.updateTable("operator_replies").set({ said: taken }).where(ofChat(chat)).where("answer_id", "=", answerId).where("said", "!=", said);
			return succeeds("no-effect", () => sql.write([statement(take, { mustChange: true })]));
		},
		add(chat, { answerId, text, at }) {
			const row = {
				...chatColumns(chat),
				answer_id: answerId,
				text,
				said: waiting,
				created_at: at
			};
			const insert = build.insertInto("operator_replies").values(row).onConflict((conflict) => conflict.columns([
				"owner_id",
				"chat_id",
				"answer_id"
			]).doNothing());
			return succeeds(["no-effect", "constraint"], () => sql.write([statement(insert, { mustChange: true })]), async () => (await find(chat, answerId))?.text === text);
		},
		async markSaid(chat, answerId) {
			const update = build.updateTable("operator_replies").set({ said }).where(ofChat(chat)).where("answer_id", "=", answerId);
			await confirmed(() => sql.write([statement(update)]));
		},
		remove(chat, answerId) {
			const remove = build.deleteFrom("operator_replies").where(ofChat(chat)).where("answer_id", "=", answerId).where("said", "=", waiting);
			return succeeds("no-effect", () => sql.write([statement(remove, { mustChange: true })]), async () => await find(chat, answerId) === void 0);
		}
	};
}
async function findAll(database, names) {
	const select = `select operator_replies.* from ${database.dialect.textRows([
		"owner_id",
		"chat_id",
		"answer_id"
	])} as named
    join operator_replies using (owner_id, chat_id, answer_id)`;
	const keys = names.map(({ ownerId, chatId, answerId }) => [
		ownerId,
		chatId,
		answerId
	]);
	const rows = await readRows(database, {
		sql: select,
		sets: [[JSON.stringify(keys)]]
	}, operatorReplyRow);
	const found = new Map(rows.map((row) => [keyOf(row, row.answer_id), replyFrom(row)]));
	return new Map(names.flatMap((name) => {
		const reply = found.get(keyOf(chatColumns(name), name.answerId));
		return reply === void 0 ? [] : [[name, reply]];
	}));
}
function replyFrom({ text, said: state }) {
	return {
		text,
		isSaid: state === said
	};
}
function keyOf({ owner_id, chat_id }, answerId) {
	return JSON.stringify([
		owner_id,
		chat_id,
		answerId
	]);
}
// packages/store/src/outbox.ts
/** Returns the outbox in a database. */
function createOutbox(database) {
	const { build, sql } = database;
	const update = (chat, { runId, index }) => build.updateTable("outbox").where(ofChat(chat)).where("run_id", "=", runId).where("idx", "=", index);
	const write = async (delivery, queries) => {
		const changes = queries.map((query) => statement(query));
		await sql.write([...stillSending(database, delivery), ...changes]);
	};
	return {
		async load(chat) {
			return (await readRows(database, build.selectFrom("outbox").selectAll().where(ofChat(chat)).orderBy("idx"), outboxRow)).map(({ run_id, idx, body, status, receipt }) => {
				return {
					runId: run_id,
					index: idx,
					body,
					status,
					receipt: receipt ?? void 0
				};
			});
		},
		async add(chat, { runId, index, body }) {
			const row = {
				...chatColumns(chat),
				run_id: runId,
				idx: index,
				body,
				status: "pending",
				receipt: null
			};
			await insertedOnce(() => write(chat, [build.insertInto("outbox").values(row)]));
		},
		async settle(chat, { runId, index, status, receipt }) {
			const change = update(chat, {
				runId,
				index
			}).set({
				status,
				receipt: receipt ?? null
			});
			await confirmed(() => write(chat, [change]));
		},
		async rewrite(chat, { runId, index, body }) {
			await confirmed(() => write(chat, [update(chat, {
				runId,
				index
			}).set({ body })]));
		},
		async advance(chat, { epoch, seq }) {
			const forget = build.deleteFrom("outbox").where(ofChat(chat));
			const move = build.updateTable("channel_chats").set({
				delivered_epoch: epoch,
				delivered_seq: seq
			}).where(ofChat(chat));
			await confirmed(() => write(chat, [forget, move]));
		}
	};
}
/** If the node does not send the chat any more, this changes no row, and the transaction is undone. */
function stillSending({ build }, { nodeId, ...chat }) {
	if (nodeId === void 0) return [];
	return [statement(build.updateTable("channel_chats").set({ delivered_by: nodeId }).where(ofChat(chat)).where("delivered_by", "=", nodeId), { mustChange: true })];
}
// packages/store/src/ring-for-runs.ts
/** Returns the same runs. They ring for the chat of a run that begins or ends: a list of chats shows whether one goes on. */
function ringForRuns(runs, signals) {
	return {
		...runs,
		async claim(run, start) {
			const isClaimed = await runs.claim(run, start);
			if (isClaimed) signals.ring(run);
			return isClaimed;
		},
		async end(run, end) {
			const isEnded = await runs.end(run, end);
			signals.ring(run);
			return isEnded;
		},
		async endDamaged(run, end) {
			const isEnded = await runs.endDamaged(run, end);
			if (run.chat !== void 0) signals.ring(run.chat);
			return isEnded;
		}
	};
}
// packages/store/src/run-owners.ts
/** Returns the owners of the runs in a database. */
function createRunOwners(database, removals) {
	const { build, sql, dialect } = database;
	const ofNode = (nodeId) => build.selectFrom("runs").selectAll().where("status", "=", running).where("node_id", "=", nodeId);
	return {
		async takeOrphans(nodeId, limit) {
			const orphans = build.selectFrom("runs as found").select(["found.owner_id", "found.id"]).where("found.status", "=", running).where(isNotLive(database, "found.node_id")).limit(limit).$if(dialect.name === "postgres", (query) => query.forUpdate().skipLocked());
			const take = build.with((cte) => cte("orphans").materialized(), () => orphans).updateTable("runs").set({ node_id: nodeId }).where(({ eb, refTuple, selectFrom }) => eb(refTuple("owner_id", "id"), "in", selectFrom("orphans").select(["owner_id", "id"]).$asTuple("owner_id", "id"))).where("status", "=", running).where(isNotLive(database, "runs.node_id")).returningAll();
			const [rows = []] = await sql.write([statement(take)]);
			return takenFrom(rows, removals);
		},
		async free(nodeId, { ownerId, id }) {
			const free = build.updateTable("runs").set({ node_id: "" }).where("owner_id", "=", ownerId).where("id", "=", id).where("node_id", "=", nodeId).where("status", "=", running);
			await confirmed(() => sql.write([statement(free)]));
		},
		async runsOf(nodeId) {
			const [rows = []] = await sql.read([statement(ofNode(nodeId))]);
			return takenFrom(rows, removals).runs;
		},
		async hasRunIn(chat, nodeId) {
			const [rows = []] = await sql.read([statement(ofNode(nodeId).where(ofChat(chat)))]);
			return rows.length > 0;
		}
	};
}
/** Leaves out the runs of chats that are being removed: they do not exist for anyone. */
function takenFrom(rows, removals) {
	return {
		runs: rows.flatMap((row) => readableRun(row) ?? []).filter((run) => !removals.has(run)),
		damagedIds: rows.filter((row) => readableRun(row) === void 0).map(({ id }) => String(id))
	};
}
// packages/store/src/shared-keys.ts
/** Returns the shared keys in a database. */
function createSharedKeys({ build, sql }) {
	return { async of(name) {
		const make = build.insertInto("shared_keys").values({
			name,
			key: randomBytes(32).toString("hex")
		}).onConflict((conflict) => conflict.column("name").doNothing());
		const find = build.selectFrom("shared_keys").select("key").where("name", "=", name);
		const [, rows = []] = await confirmed(() => sql.write([statement(make), statement(find)]));
		const [{ key }] = z.tuple([keyRow$1]).parse(rows);
		return Buffer.from(key, "hex");
	} };
}
var keyRow$1 = z.object({ key: z.string().length(64) });
// packages/store/src/shares.ts
/** Returns the shared copies in a database. */
function createShares(database, removals) {
	const { build, sql } = database;
	const inChat = (chat) => build.selectFrom("shares").where(ofChat(chat));
	const readable = (key) => build.selectFrom("shares").innerJoin("chats", (join) => join.onRef("chats.owner_id", "=", "shares.owner_id").onRef("chats.id", "=", "shares.chat_id")).where("shares.key", "=", key).where("chats.removed_at", "is", null);
	async function find(key) {
		const [row] = await readRows(database, readable(key).select([
			"shares.key",
			"shares.owner_id",
			"shares.chat_id",
			"shares.title",
			"shares.created_at",
			"shares.file_ids"
		]), foundRow);
		const found = row && shareFrom(row);
		return found === void 0 || removals.has(found.chat) ? void 0 : found;
	}
	return {
		find,
		create(chat, share) {
			const { key } = share;
			const insert = build.insertInto("shares").values({
				...chatColumns(chat),
				...columnsOf(share)
			});
			return succeeds(["no-effect", "constraint"], () => sql.write([statement(existingChat(database, chat), { mustChange: true }), statement(insert)]), async () => (await readRows(database, inChat(chat).select("key").where("key", "=", key), keyRow)).length > 0);
		},
		async list(chat) {
			return (await readRows(database, inChat(chat).select([
				"key",
				"title",
				"created_at",
				"message_count",
				"digest"
			]).orderBy("created_at", "desc").orderBy("key"), listedRow)).map((row) => ({
				key: row.key,
				title: row.title,
				createdAt: row.created_at,
				messageCount: row.message_count,
				digest: row.digest
			}));
		},
		remove(chat, key) {
			const remove = build.deleteFrom("shares").where(ofChat(chat)).where("key", "=", key);
			return deletes(() => sql.write([statement(remove, { mustChange: true })]));
		},
		async messages(key) {
			const [row] = await readRows(database, readable(key).select("shares.messages"), messagesRow);
			return row?.messages;
		}
	};
}
var keyRow = shareRow.pick({ key: true });
var messagesRow = shareRow.pick({ messages: true });
var listedRow = shareRow.omit({
	owner_id: true,
	chat_id: true,
	file_ids: true,
	messages: true
});
var foundRow = shareRow.omit({
	message_count: true,
	digest: true,
	messages: true
});
var fileIds = z.array(z.string());
function columnsOf({ key, title, createdAt, messageCount, digest, messages, fileIds }) {
	return {
		key,
		title,
		created_at: createdAt,
		message_count: messageCount,
		digest,
		file_ids: JSON.stringify(fileIds),
		messages
	};
}
function shareFrom(row) {
	const { owner_id: ownerId, chat_id: chatId } = row;
	if (!isOwnerId(ownerId) || !isChatId(chatId)) throw new SqlError("damaged", "A row of the table \"shares\" is damaged. Restore the database from a backup.");
	return {
		key: row.key,
		chat: {
			ownerId,
			chatId
		},
		title: row.title,
		createdAt: row.created_at,
		fileIds: fileIds.parse(JSON.parse(row.file_ids))
	};
}
// packages/store/src/due-submissions.ts
/** Reads chats of any owner in which submissions wait although no run goes on, the longest wait first. */
async function readDue(database, limit) {
	const [rows = []] = await database.sql.read([statement(dueQuery(database).limit(limit))]);
	const chats = rows.flatMap((row) => chatOf(row) ?? []);
	return {
		chats: [...new Map(chats.map((chat) => [`${chat.ownerId}/${chat.chatId}`, chat])).values()],
		damaged: rows.filter((row) => chatOf(row) === void 0).map(damagedFrom)
	};
}
/** Removes a row that does not name a chat. */
async function removeDamaged({ sql: database, dialect }, { rowName, named }) {
	const remove = `delete from waiting_submissions where ${dialect.isRow("waiting_submissions")} and id = ?`;
	await confirmed(() => database.write([{
		sql: remove,
		sets: [[rowName, named.messageId]]
	}]));
}
/** Selects what waits in chats without a run. */
function dueQuery({ build, dialect }) {
	return build.selectFrom("waiting_submissions").select([
		"owner_id",
		"chat_id",
		"id",
		sql.raw(dialect.rowName("waiting_submissions")).as("row_name")
	]).where(({ not, exists, selectFrom }) => not(exists(selectFrom("runs").select("runs.id").whereRef("runs.owner_id", "=", "waiting_submissions.owner_id").whereRef("runs.chat_id", "=", "waiting_submissions.chat_id").where("runs.status", "=", running)))).orderBy("created_at");
}
function chatOf({ owner_id: ownerId, chat_id: chatId }) {
	return isOwnerId(ownerId) && isChatId(chatId) ? {
		ownerId,
		chatId
	} : void 0;
}
function damagedFrom({ owner_id, chat_id, id, row_name }) {
	return {
		rowName: String(row_name),
		named: {
			ownerId: String(owner_id),
			chatId: String(chat_id),
			messageId: String(id)
		}
	};
}
// packages/store/src/unused-files.ts
/** Older than every file. The next sweep removes the bytes. */
var longAgo = (/* @__PURE__ */ new Date(0)).toISOString();
/**
* Part of removing a message that waits: removes the row of a file that the message has brought, unless a saved message,
* another message that waits or a shared copy has the same file. Must come after the statement that removes the message.
* The bytes are removed by the next sweep of unsaved files, within an hour.
*
* Somebody may bring the same file at the same moment. They note it before they save it: see `UnsavedFiles`. So the row
* stays if somebody else has noted the file.
*/
function forgetFile({ build }, { id, ...key }) {
	const chat = {
		ownerId: key.ownerId,
		chatId: key.chatId
	};
	const note = build.insertInto("unsaved_files").values({
		...chatColumns(chat),
		id,
		written_at: longAgo,
		sweep_at: null
	}).onConflict((conflict) => conflict.columns([
		"owner_id",
		"chat_id",
		"id"
	]).doNothing());
	const named = `%${id}%`;
	const remove = build.deleteFrom("files").where(ofChat(chat)).where("id", "=", id).where(({ and, not, exists, selectFrom }) => and([
		exists(selectFrom("unsaved_files").select("id").where(ofChat(chat)).where("id", "=", id).where("written_at", "=", longAgo)),
		not(exists(selectFrom("parts").select("idx").where(ofChat(chat)).where("body", "like", named))),
		not(exists(selectFrom("shares").select("key").where(ofChat(chat)).where("file_ids", "like", named))),
		not(exists(selectFrom("waiting_submissions").select("idx").where(ofChat(chat)).where("body", "like", named)))
	]));
	return [statement(note), statement(remove)];
}
// packages/store/src/waiting-submissions.ts
/** Returns the waiting submissions in a database. */
function createWaitingSubmissions(database) {
	const { build, sql } = database;
	const inChat = (chat) => build.selectFrom("waiting_submissions").selectAll().where(ofChat(chat));
	const line = (chat) => inChat(chat).orderBy("idx");
	const removeFrom = (chat) => build.deleteFrom("waiting_submissions").where(ofChat(chat));
	async function read(query) {
		return (await readRows(database, query, waitingSubmissionRow)).map(waitingFrom);
	}
	async function find(chat, id) {
		const [found] = await read(inChat(chat).where("id", "=", id));
		return found;
	}
	return {
		find,
		list: (chat) => read(line(chat)),
		async add(waiting, { max, files = [], interruptAt }) {
			for (;;) {
				if (await succeeds(["no-effect", "constraint"], () => sql.write([
					statement(existingChat(database, waiting), { mustChange: true }),
					statement(insertLast(database, waiting, max), { mustChange: true }),
					...insertFiles(database, waiting, files),
					...interruptAt === void 0 ? [] : [interruptFor(database, waiting, interruptAt)]
				]))) return "added";
				if (await find(waiting, waiting.id) !== void 0) return "known";
				if ((await sql.read([statement(existingChat(database, waiting))]))[0]?.length === 0) return "no-chat";
				if ((await read(line(waiting))).length >= max) return "full";
				if (files.length > 0) return "again";
			}
		},
		async first(chat) {
			const [found] = await read(line(chat).limit(1));
			return found;
		},
		stillWaiting: (names) => stillWaiting(database, names),
		remove(chat, id, fileIds = []) {
			const remove = statement(removeFrom(chat).where("id", "=", id), { mustChange: true });
			const forget = fileIds.flatMap((fileId) => forgetFile(database, {
				...chat,
				id: fileId
			}));
			return succeeds("no-effect", () => sql.write([remove, ...forget]));
		},
		rewrite: (chat, named, body) => succeeds("no-effect", () => sql.write([rewriteRow(database, {
			...chat,
			id: named.id,
			body: named.body
		}, body)]), async () => (await find(chat, named.id))?.body === body),
		removeDamaged: (damaged) => removeDamaged(database, damaged),
		async removeAll(chat) {
			await confirmed(() => sql.write([statement(removeFrom(chat))]));
		},
		due: (limit) => readDue(database, limit)
	};
}
async function stillWaiting(database, names) {
	const keyOf = ({ ownerId, chatId, id }) => [
		ownerId,
		chatId,
		id
	];
	const rows = await readRows(database, {
		sql: `select owner_id, chat_id, id from ${database.dialect.textRows([
			"owner_id",
			"chat_id",
			"id"
		])} as named
    join waiting_submissions using (owner_id, chat_id, id)`,
		sets: [[JSON.stringify(names.map(keyOf))]]
	}, nameRow);
	const found = new Set(rows.map(({ owner_id, chat_id, id }) => JSON.stringify([
		owner_id,
		chat_id,
		id
	])));
	return new Set(names.filter((name) => found.has(JSON.stringify(keyOf(name)))));
}
/**
* Part of adding a submission: asks for the end of the run that has the chat. Not for the end of its own run, which another
* node may have started for an equal submission.
*/
function interruptFor({ build }, { id, ...chat }, at) {
	return statement(build.updateTable("runs").set({
		stop_requested_at: at,
		stop_requested_by: "message"
	}).where(ofChat(chat)).where("status", "=", running).where("stop_requested_at", "is", null).where("user_message_id", "!=", id).where("answer_id", "!=", id));
}
/** Gives a submission another body. Has no effect when it does not wait with the body that is named. */
function rewriteRow({ build }, { id, body: before, ...chat }, body) {
	return statement(build.updateTable("waiting_submissions").set({ body }).where(ofChat(chat)).where("id", "=", id).where("body", "=", before), { mustChange: true });
}
/** Inserts a submission behind the last one. Has no effect when the line is full. */
function insertLast({ build }, waiting, max) {
	const row = build.selectFrom("waiting_submissions").where(ofChat(waiting)).select(({ val, fn, lit, eb }) => [
		val(waiting.ownerId).as("owner_id"),
		val(waiting.chatId).as("chat_id"),
		val(waiting.id).as("id"),
		eb(fn.coalesce(fn.max("idx"), lit(0)), "+", lit(1)).as("idx"),
		val(waiting.body).as("body"),
		val(waiting.createdAt).as("created_at")
	]).having(({ fn }) => fn.countAll(), "<", max);
	return build.insertInto("waiting_submissions").columns([
		"owner_id",
		"chat_id",
		"id",
		"idx",
		"body",
		"created_at"
	]).expression(row);
}
var nameRow = z.object({
	owner_id: z.string(),
	chat_id: z.string(),
	id: z.string()
});
function waitingFrom(row) {
	const { owner_id: ownerId, chat_id: chatId, id, body, created_at: createdAt } = row;
	if (isOwnerId(ownerId) && isChatId(chatId)) return {
		ownerId,
		chatId,
		id,
		body,
		createdAt
	};
	throw new SqlError("damaged", `The row of the waiting submission "${id}" is damaged.`);
}
// packages/store/src/assemble-store.ts
/** Makes a store from a database that is open. Goes on with what an earlier process has left unfinished. */
async function assembleStore(database, { log, signals, punctual = database, fileBytes: bytes, report, lease, close, ...watches }) {
	const unsaved = createUnsavedFiles(database, { bytes });
	const files = createFiles(database, {
		bytes,
		unsaved
	});
	const removals = createChatRemovals(database, {
		files,
		log,
		report,
		lease
	});
	await removals.resume();
	const sweeps = startFileSweeps(unsaved, { report });
	return {
		isShared: lease !== void 0,
		chats: createChats(database, removals, signals),
		chatList: createChatList(database, removals),
		messages: hideRemovedMessages(createMessages(database), removals),
		runs: ringForRuns(createRuns(database, removals), signals),
		approvals: createApprovals(database),
		files,
		definitions: createDefinitions(database),
		channelChats: createChannelChats(database, removals),
		outbox: createOutbox(database),
		dueTrims: createDueTrims(database, removals),
		waitingSubmissions: createWaitingSubmissions(database),
		operatorReplies: createOperatorReplies(database),
		usageDays: createUsageDays(database),
		shares: createShares(database, removals),
		log,
		signals,
		nodes: createNodes(punctual),
		runOwners: createRunOwners(database, removals),
		deliveryOwners: createDeliveryOwners(database),
		jobLeases: createJobLeases(punctual),
		sharedKeys: createSharedKeys(database),
		...watches,
		async close() {
			await close();
			await removals.close();
			await sweeps.close();
		}
	};
}
// packages/store/src/backup/backup-error.ts
/** Thrown when a backup cannot be made. The message says what to do. Nothing of the backup is left behind. */
var BackupError = class extends Error {
	name = "BackupError";
	/**
	* - `exists`: there is something at the place of the backup.
	* - `busy`: another backup of the same data is under way.
	* - `failed`: the data cannot be read, or the backup cannot be written.
	*/
	code;
	constructor(code, message) {
		super(message);
		this.code = code;
	}
};
// packages/store/src/database-name.ts
/** The name of the database file in the data folder. */
var databaseName = "throughline.sqlite";
// packages/store/src/backup/copy-files.ts
/**
* Copies a folder of files, which others may add to and delete from meanwhile. A file that is deleted before it is copied
* is left out, and so are files that are still being written. Does nothing when there is no such folder.
*/
async function copyFiles(from, to) {
	let fileCount = 0;
	let fileBytes = 0;
	for await (const path of pathsIn(from)) {
		const bytes = await copyOne(path, join(to, relative(from, path)));
		if (bytes === void 0) continue;
		fileCount += 1;
		fileBytes += bytes;
	}
	return {
		fileCount,
		fileBytes
	};
}
/** Returns the size of the file; `undefined` when it is gone. */
async function copyOne(from, to) {
	await mkdir(dirname(to), {
		recursive: true,
		mode: 448
	});
	try {
		await copyFile(from, to, constants.COPYFILE_FICLONE);
	} catch (error) {
		return absent$1(error);
	}
	const copy = await open(to, "r+");
	try {
		await copy.sync();
		return (await copy.stat()).size;
	} finally {
		await copy.close();
	}
}
async function* pathsIn(folder) {
	const found = await readdir(folder, { withFileTypes: true }).catch(absent$1) ?? [];
	for (const each of found) {
		const path = join(folder, each.name);
		if (each.isDirectory()) yield* pathsIn(path);
		else if (each.isFile() && !each.name.endsWith(".part")) yield path;
	}
}
function absent$1(error) {
	if (error instanceof Error && "code" in error && error.code === "ENOENT") return void 0;
	throw error;
}
// packages/store/src/backup/write-backup.ts
/**
* Makes a backup: a folder that a server can be started on. It appears at `target` when it is complete and durable, and
* not before. Throws a `BackupError`.
*
* The database is copied first. A file is written before its row and deleted after it, so every row of the copy has
* its file. Only the files of a chat that somebody deletes meanwhile may be missing.
*/
async function writeBackup({ folder, copyDatabase }, target) {
	if (await exists(target)) throw new BackupError("exists", `There is something at ${target} already. Name a folder that does not exist.`);
	const partial = `${target}.part`;
	try {
		await rm(partial, {
			recursive: true,
			force: true
		});
		await mkdir(partial, {
			recursive: true,
			mode: 448
		});
		const database = join(partial, databaseName);
		await createPrivate(database);
		await copyDatabase(database);
		const { size } = await stat(database);
		const copied = await copyFiles(join(folder, "files"), join(partial, "files"));
		await sync(partial);
		await rename(partial, target);
		await sync(dirname(target));
		return {
			databaseBytes: size,
			...copied
		};
	} catch (error) {
		await rm(partial, {
			recursive: true,
			force: true
		}).catch(() => void 0);
		throw error instanceof BackupError ? error : failed$1(target, error);
	}
}
function failed$1(target, error) {
	return new BackupError("failed", `The backup at ${target} could not be written: ${(error instanceof Error ? error.message : String(error)).replace(/\.$/, "")}. Look whether there is room, and whether the user of the server may write there.`);
}
/** SQLite takes an empty file for a new database. */
async function createPrivate(path) {
	await (await open(path, "wx", 384)).close();
}
async function exists(path) {
	return await stat(path).catch(() => void 0) !== void 0;
}
/** Makes the names in a folder durable. Windows cannot open folders, and does not need this. */
async function sync(folder) {
	if (process.platform === "win32") return;
	const handle = await open(folder, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
// packages/store/src/database-facts.ts
/** Returns the facts of the SQLite that this process has built in. */
function sqliteFacts() {
	return {
		kind: "sqlite",
		version: process.versions.sqlite ?? ""
	};
}
// packages/store/src/file-bytes/earlier-bytes.ts
/**
* Returns files that are written to one place, and are also found in the place where they were written earlier. So an
* installation can begin to use a bucket, and the files that it has already stay where they are.
*/
function withEarlierBytes(current, earlier) {
	return {
		location: current.location,
		write: (chat, file) => current.write(chat, file),
		read: async (chat, id) => await current.read(chat, id) ?? await earlier.read(chat, id),
		async remove(chat, id) {
			await current.remove(chat, id);
			await earlier.remove(chat, id);
		},
		async removeAll(chat) {
			await current.removeAll(chat);
			await earlier.removeAll(chat);
		}
	};
}
// packages/store/src/file-bytes/id-names.ts
var reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
/**
* Returns the name of a folder for an id, also for the folders of a bucket. Some file systems refuse some ids, or take
* `A` and `a` for the same name. Such an id becomes a hash. The hash begins with `~`, which no id contains.
*/
function nameOf(id) {
	if (/^[a-z0-9_-]+$/.test(id) && !reserved.test(id)) return id;
	return `~${createHash("sha256").update(id).digest("hex")}`;
}
// packages/store/src/file-bytes/folder-bytes.ts
/** Returns the files of chats in a folder: one folder for each owner, and in it one for each chat. */
function folderBytes(folder) {
	const folderOf = ({ ownerId, chatId }) => join(folder, nameOf(ownerId), nameOf(chatId));
	return {
		location: folder,
		async write(chat, { id, bytes }) {
			if (await stat(join(folderOf(chat), id)).catch(absent) === void 0) await writeDurably(folderOf(chat), id, bytes);
		},
		read: (chat, id) => readFile(join(folderOf(chat), id)).catch(absent),
		remove: (chat, id) => rm(join(folderOf(chat), id), { force: true }),
		removeAll: (chat) => rm(folderOf(chat), {
			recursive: true,
			force: true
		})
	};
}
/** Writes a file whole or not at all, even if the process dies meanwhile. */
async function writeDurably(folder, name, bytes) {
	await mkdir(folder, {
		recursive: true,
		mode: 448
	});
	const path = join(folder, name);
	const temporary = `${path}.${randomHex(8)}.part`;
	try {
		const file = await open(temporary, "wx", 384);
		try {
			await file.writeFile(bytes);
			await file.sync();
		} finally {
			await file.close();
		}
		await rename(temporary, path);
	} catch (error) {
		await rm(temporary, { force: true });
		throw error;
	}
	await syncFolder(folder);
}
/** Makes a rename durable. Windows cannot open folders, and does not need this. */
async function syncFolder(folder) {
	if (process.platform === "win32") return;
	const handle = await open(folder, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
function absent(error) {
	if (error instanceof Error && "code" in error && error.code === "ENOENT") return void 0;
	throw error;
}
// packages/store/src/file-bytes/file-bytes.ts
/** Thrown when the place where files are cannot be used. The message is for the operator. */
var FileBytesError = class extends Error {
	name = "FileBytesError";
	/**
	* - `unreachable`: it does not respond, or not soon enough. Later it may work again.
	* - `refused`: it refuses the request. Only a change of its settings, or of ours, helps.
	*/
	code;
	constructor(code, message) {
		super(message);
		this.code = code;
	}
};
// packages/store/src/file-bytes/reported-bytes.ts
/**
* Returns the same files, and tells the operator when they cannot be reached, and when they can be again. Each is told
* once. Whoever uses the files gets every error as before.
*/
function reportFailures(bytes, report) {
	let isFailing = false;
	async function watch(work) {
		try {
			const result = await work;
			if (isFailing) report("The files of chats can be reached again.");
			isFailing = false;
			return result;
		} catch (error) {
			if (error instanceof FileBytesError && !isFailing) {
				isFailing = true;
				report(`The files of chats cannot be reached. ${error.message}`);
			}
			throw error;
		}
	}
	return {
		location: bytes.location,
		write: (chat, file) => watch(bytes.write(chat, file)),
		read: (chat, id) => watch(bytes.read(chat, id)),
		remove: (chat, id) => watch(bytes.remove(chat, id)),
		removeAll: (chat) => watch(bytes.removeAll(chat))
	};
}
// packages/store/src/private-folder.ts
var privateFolder = 448;
var privateFile = 384;
/**
* Makes a data folder and its database file, and lets only their owner read them. If the folder exists, the rights of
* the folder and of our files in it are changed. A folder that holds other things too keeps its own rights.
*/
async function openPrivateFolder(folder, databaseName, { report }) {
	await mkdir(folder, {
		recursive: true,
		mode: privateFolder
	});
	if (process.platform === "win32") return;
	await (await open(join(folder, databaseName), "a", privateFile)).close();
	try {
		await closeFolder(folder, databaseName, report);
	} catch (error) {
		report(`The rights of the data folder ${folder} could not be changed (${error instanceof Error && "code" in error ? String(error.code) : "unknown"}). Other users may read it.`);
	}
}
async function closeFolder(folder, databaseName, report) {
	const names = await readdir(folder);
	const isOurs = (name) => name === "files" || name.startsWith(databaseName);
	if (await isOpen(folder)) {
		if (names.every(isOurs)) await chmod(folder, privateFolder);
		else report(`The data folder ${folder} is open to other users of this machine. There are other things in it, so its rights were not changed. Set THROUGHLINE_DATA to a folder of its own.`);
	}
	for (const name of names.filter(isOurs)) if (await isOpen(join(folder, name))) await closeAll(join(folder, name));
}
/** Closes a file, or a folder with everything in it. */
async function closeAll(path) {
	const waiting = [path];
	for (let next = waiting.pop(); next !== void 0; next = waiting.pop()) {
		const found = await lstat(next);
		if (found.isDirectory()) {
			await chmod(next, privateFolder);
			for (const name of await readdir(next)) waiting.push(join(next, name));
		} else if (found.isFile()) await chmod(next, privateFile);
	}
}
async function isOpen(path) {
	return ((await lstat(path)).mode & 63) !== 0;
}
// packages/store/src/signals.ts
/**
* Returns the bells of one process. `send` passes a topic on to the other nodes, which call `hear` with it. Without it
* there is one process, and only that one hears its rings.
*/
function createSignals(send = () => void 0) {
	const byTopic = createListeners();
	const byOwner = createListeners();
	function hear(topic) {
		byTopic.call(topic, topic);
		const [ownerId = ""] = topic.split("/", 1);
		byOwner.call(ownerId, topic);
	}
	function ring(topic) {
		hear(topic);
		send(topic);
	}
	return {
		hear,
		ring: (chat) => ring(topicOf(chat)),
		onRing: (chat, onRing) => byTopic.add(topicOf(chat), () => onRing()),
		ringNodes: () => ring(nodesTopic),
		onNodes: (onRing) => byTopic.add(nodesTopic, () => onRing()),
		onOwnerRing: (ownerId, onRing) => byOwner.add(ownerId, (topic) => {
			const chatId = topic.slice(ownerId.length + 1);
			if (isChatId(chatId)) onRing(chatId);
		})
	};
}
/** Keeps listeners by a name. `call` calls those of one name. */
function createListeners() {
	const byName = /* @__PURE__ */ new Map();
	return {
		call(name, topic) {
			const listeners = byName.get(name) ?? /* @__PURE__ */ new Set();
			for (const listener of [...listeners]) if (listeners.has(listener)) listener(topic);
		},
		/** Each listener is a new function, so that the same caller can listen twice. Returns a function that ends this. */
		add(name, listener) {
			const listeners = byName.get(name) ?? /* @__PURE__ */ new Set();
			byName.set(name, listeners);
			listeners.add(listener);
			return () => {
				listeners.delete(listener);
				if (listeners.size === 0 && byName.get(name) === listeners) byName.delete(name);
			};
		}
	};
}
/** Has no slash, so it is the topic of no chat. */
var nodesTopic = "nodes";
function topicOf({ ownerId, chatId }) {
	return `${ownerId}/${chatId}`;
}
// packages/store/src/append-rate.ts
/** So many appends in two periods are company to wait for. */
var busyCount = 12;
/** Tells whether appends come so closely that it is worth to wait for the next ones. Counts them in periods. */
var AppendRate = class {
	#periodMs;
	#period = 0;
	#count = 0;
	#countBefore = 0;
	/** `periodMs`: how long an append may wait, in milliseconds. */
	constructor(periodMs) {
		this.#periodMs = periodMs;
	}
	/** An append has come, at this time in milliseconds. */
	note(now) {
		const period = Math.floor(now / this.#periodMs);
		if (period !== this.#period) {
			this.#countBefore = period === this.#period + 1 ? this.#count : 0;
			this.#count = 0;
			this.#period = period;
		}
		this.#count += 1;
	}
	/** Whether many appends have come in this period and in the one before it. */
	get isBusy() {
		return this.#count + this.#countBefore >= busyCount;
	}
};
// packages/store/src/sqlite/append-group.ts
/**
* Appends that go to the thread of the database as one job. They are committed together, so they have one result. What
* costs most about a message is the number of its objects: so the group is sent as columns.
*/
var AppendGroup = class {
	#columns = {
		epochs: [],
		firsts: [],
		counts: [],
		ats: [],
		bodies: []
	};
	#waiters = [];
	get count() {
		return this.#waiters.length;
	}
	get work() {
		return {
			type: "append",
			...this.#columns
		};
	}
	/** Adds an append. Resolves when the group is durable. */
	add({ epoch, first, count, at, body }) {
		const { epochs, firsts, counts, ats, bodies } = this.#columns;
		epochs.push(epoch);
		firsts.push(first);
		counts.push(count);
		ats.push(at);
		bodies.push(body);
		return new Promise((resolve, reject) => this.#waiters.push({
			resolve,
			reject
		}));
	}
	resolve = () => {
		for (const { resolve } of this.#waiters) resolve();
	};
	reject = (error) => {
		for (const { reject } of this.#waiters) reject(error);
	};
};
// packages/store/src/sqlite/assert-node.ts
/**
* Throws a `SqlError` when this Node is too old for a store. Older ones have no `node:sqlite`, or one that can damage its
* file.
*/
function assertNode(version = process.versions.node) {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	if (major > 24 || major === 24 && minor >= 15) return;
	throw new SqlError("old-node", `Throughline needs Node 24.15 or newer, and this is ${version}. Install it from https://nodejs.org, or start your program with "npx throughline-node".`);
}
// packages/store/src/sqlite/open-sqlite.ts
/**
* Opens a database in a thread of its own, with WAL, an fsync at every commit and group commit. Resolves when the
* database is migrated.
*/
async function openSqlite(path, options = {}) {
	assertNode();
	return openInThread(new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
		workerData: path,
		resourceLimits: { maxYoungGenerationSizeMb }
	}), options);
}
/** Takes over a database that a thread is about to open with `serveDatabase`. Resolves when it is migrated. */
async function openInThread(thread, options = {}) {
	const database = new DatabaseThread(thread, options);
	await database.opened;
	return database;
}
var maxYoungGenerationSizeMb = 8;
/** So many appends are worth a commit. Fewer wait longer for others. */
var enoughAppends = 100;
/** Sends jobs to the thread in groups, and gives each caller its own result. */
var DatabaseThread = class {
	opened;
	#thread;
	#commitWaitMs;
	#exited = Promise.withResolvers();
	#waiters = /* @__PURE__ */ new Map();
	#lastId = 0;
	/** Jobs that were not sent yet. They must not wait. */
	#jobs = [];
	/** Appends that were not sent yet. They may wait for others. */
	#appends = new AppendGroup();
	#rate;
	#timer;
	#immediate;
	#lastSent = Number.NEGATIVE_INFINITY;
	/** Why no job is taken any more. */
	#end;
	#onFailure = () => void 0;
	constructor(thread, { commitWaitMs = 10 }) {
		this.#thread = thread;
		this.#commitWaitMs = commitWaitMs;
		this.#rate = new AppendRate(2 * commitWaitMs);
		const { promise, resolve, reject } = Promise.withResolvers();
		this.opened = promise;
		thread.on("message", (reply) => {
			if (reply.type === "jobs") for (const result of reply.results) this.#settle(result);
			else if (reply.type === "open") resolve();
			else if (reply.type === "broken") fail(new SqlError(reply.code, reply.message));
		});
		const fail = (error) => {
			reject(error);
			this.#fail(error);
		};
		thread.on("error", (error) => fail(new SqlError("failed", `The database thread broke: ${error.message}`)));
		thread.on("exit", () => {
			fail(closedError());
			this.#exited.resolve();
		});
	}
	write(statements) {
		return this.#add("write", statements);
	}
	read(statements) {
		return this.#add("read", statements);
	}
	append(append) {
		if (this.#end !== void 0) return Promise.reject(this.#end);
		const appended = this.#appends.add(append);
		this.#schedule();
		return appended;
	}
	writeLog(work) {
		return this.#add("write", work);
	}
	readLog(work) {
		return this.#add("read", work);
	}
	async compact() {
		await this.#add("alone", { type: "compact" });
	}
	async backup(path) {
		this.assertOpen();
		this.#lastId += 1;
		const id = this.#lastId;
		const copied = new Promise((resolve, reject) => this.#waiters.set(id, {
			isBackup: true,
			resolve,
			reject
		}));
		this.#post({
			type: "backup",
			id,
			path
		});
		await copied;
	}
	assertOpen() {
		if (this.#end !== void 0) throw this.#end;
	}
	onFailure(listener) {
		this.#onFailure = listener;
	}
	async close() {
		this.#send();
		this.#end ??= closedError();
		this.#post({ type: "close" });
		await this.#exited.promise;
	}
	#add(type, work) {
		if (this.#end !== void 0) return Promise.reject(this.#end);
		const added = new Promise((resolve, reject) => this.#queue({
			type,
			work
		}, {
			resolve,
			reject
		}));
		this.#schedule();
		return added;
	}
	#queue(job, waiter) {
		this.#lastId += 1;
		this.#jobs.push({
			...job,
			id: this.#lastId
		});
		this.#waiters.set(this.#lastId, waiter);
	}
	/** Sends the jobs at the end of this turn of the event loop. Appends wait longer while many of them come. */
	#schedule() {
		if (this.#immediate !== void 0) return;
		const now = performance.now();
		const isUrgent = this.#jobs.length > 0;
		if (!isUrgent) this.#rate.note(now);
		const waitMs = isUrgent || !this.#rate.isBusy ? 0 : this.#lastSent + this.#commitWaitMs - now;
		if (waitMs > 0) {
			this.#timer ??= setTimeout(() => this.#sendOrWait(), waitMs);
			return;
		}
		this.#immediate = setImmediate(() => this.#send());
	}
	#sendOrWait() {
		this.#timer = void 0;
		if (this.#appends.count < enoughAppends) this.#timer = setTimeout(() => this.#send(), this.#commitWaitMs);
		else this.#send();
	}
	#send() {
		clearTimeout(this.#timer);
		clearImmediate(this.#immediate);
		this.#timer = void 0;
		this.#immediate = void 0;
		if (this.#end !== void 0) return;
		if (this.#appends.count > 0) {
			this.#queue({
				type: "write",
				work: this.#appends.work
			}, this.#appends);
			this.#appends = new AppendGroup();
		}
		if (this.#jobs.length === 0) return;
		const jobs = this.#jobs;
		this.#jobs = [];
		this.#lastSent = performance.now();
		this.#post({
			type: "jobs",
			jobs
		});
	}
	#post(request) {
		this.#thread.postMessage(request);
	}
	#settle(result) {
		const waiter = this.#waiters.get(result.id);
		this.#waiters.delete(result.id);
		if (result.type === "done") return waiter?.resolve(result.rows);
		const error = new SqlError(result.code, result.message);
		if (waiter?.isBackup !== true) this.#onFailure(error);
		waiter?.reject(error);
	}
	#fail(error) {
		this.#end ??= error;
		for (const { reject } of [...this.#waiters.values(), this.#appends]) reject(error);
		this.#waiters.clear();
	}
};
function closedError() {
	return new SqlError("closed", "The database is closed.");
}
// packages/store/src/sqlite/log-heads.ts
/** So many logs are known at least. When there are twice as many, the others are forgotten. */
var keptCount = 1e4;
/**
* The heads of logs, in memory. This is sound because one process has the database locked: nobody else can append, trim or
* take a lease. What is not known here is loaded.
*
* Work that changes a log runs in turn: one after the other per log, so that each sees the head that the one before it left.
*/
var LogHeads = class {
	#load;
	/** The logs that were used last, and those that were used before them. */
	#newer = /* @__PURE__ */ new Map();
	#older = /* @__PURE__ */ new Map();
	/** The end of the last work in each log where some is under way. */
	#turns = /* @__PURE__ */ new Map();
	constructor(load) {
		this.#load = load;
	}
	/** Returns the head of a log, if it is known. */
	known(log) {
		const newer = this.#newer.get(log);
		if (newer !== void 0) return newer;
		const older = this.#older.get(log);
		if (older !== void 0) this.keep(log, older);
		return older;
	}
	/** Reads the head of a log from the database. Only work in turn may keep it: otherwise it may be old by now. */
	load(log) {
		return this.#load(log);
	}
	keep(log, head) {
		this.#newer.set(log, head);
		if (this.#newer.size <= keptCount) return;
		this.#older = this.#newer;
		this.#newer = /* @__PURE__ */ new Map();
	}
	forget(log) {
		this.#newer.delete(log);
		this.#older.delete(log);
	}
	/** Does the work when all work before it in the same log has ended, with success or not. */
	inTurn(log, work) {
		const before = this.#turns.get(log);
		const result = before === void 0 ? work() : before.then(work, work);
		const end = () => {
			if (this.#turns.get(log) === result) this.#turns.delete(log);
		};
		this.#turns.set(log, result);
		result.then(end, end);
		return result;
	}
};
// packages/store/src/sqlite/sqlite-log-store.ts
/** After the end of a run, its viewers read the last entries. So the entries stay in memory for so long. */
var lingerMs = 1e3;
/**
* The log in SQLite. The file is locked, so only this process writes. So its own bells reach every follower, and the ends
* and fences of logs can be kept in memory: see `LogHeads`.
*/
function createSqliteLogStore(thread, { now = Date.now } = {}) {
	const heads = new LogHeads(async (log) => headFrom(await thread.readLog({
		type: "find",
		log
	})));
	const parts = {
		thread,
		heads,
		recent: createRecentEntries(),
		bells: createBells(),
		now
	};
	const { recent, bells } = parts;
	return {
		acquire: (log) => heads.inTurn(log, () => acquire(parts, log)),
		async append(lease, after, drafts) {
			const sealed = sealDrafts(lease.log, drafts);
			return heads.inTurn(lease.log, () => append(parts, {
				lease,
				after,
				sealed
			}));
		},
		release({ log, head: { epoch } }) {
			thread.writeLog({
				type: "settle",
				epoch
			}).catch(() => void 0);
			setTimeout(() => recent.forget(log), lingerMs).unref();
		},
		read: (log, after, limit) => read(parts, log, {
			after,
			limit
		}),
		async open(log) {
			thread.assertOpen();
			const known = heads.known(log);
			return known === void 0 ? heads.inTurn(log, () => open$1(parts, log)) : positionOf(known);
		},
		onAppend(log, ring) {
			const unlisten = bells.listen(log, ring);
			const unwatch = recent.watch(log);
			return () => {
				unlisten();
				unwatch();
			};
		},
		trim: (log, upTo) => heads.inTurn(log, () => shorten(parts, {
			type: "trim",
			log,
			upTo
		})),
		remove: (log) => heads.inTurn(log, () => shorten(parts, {
			type: "remove",
			log
		}))
	};
}
async function acquire({ thread, heads }, log) {
	const head = madeHead(await thread.writeLog({
		type: "acquire",
		log,
		newEpoch: createEpoch()
	}));
	heads.keep(log, head);
	return {
		log,
		fence: head.fence,
		head: positionOf(head)
	};
}
async function open$1({ thread, heads }, log) {
	const head = heads.known(log) ?? await heads.load(log) ?? madeHead(await thread.writeLog({
		type: "open",
		log,
		newEpoch: createEpoch()
	}));
	heads.keep(log, head);
	return positionOf(head);
}
async function append({ thread, heads, recent, bells, now }, { lease, after, sealed }) {
	thread.assertOpen();
	const { log } = lease;
	const head = heads.known(log) ?? await heads.load(log);
	assertWritable(lease, after, head);
	const count = sealed.length;
	if (head === void 0 || count === 0) return [];
	heads.keep(log, head);
	const { epoch } = head;
	const at = now();
	const body = encodeEntries(sealed, {
		first: after + 1,
		at
	});
	await thread.append({
		epoch,
		first: after + 1,
		count,
		at,
		body
	});
	const entries = entriesFrom(sealed, {
		first: after + 1,
		at
	});
	head.seq += count;
	recent.add(lease, entries, body.length);
	bells.ring(log);
	return entries;
}
async function read({ thread, heads, recent }, log, { after, limit }) {
	thread.assertOpen();
	const { epoch, seq } = after;
	const known = heads.known(log);
	if (known !== void 0) {
		assertKnown(log, after, known);
		const page = seq === known.seq ? [] : recent.read(log, after, limit);
		if (page !== void 0) return page;
	}
	const [head, [rows = []]] = await Promise.all([heads.load(log), thread.readLog({
		type: "read-entries",
		epoch,
		after: seq,
		limit
	})]);
	assertKnown(log, after, head);
	const isAtEnd = seq === head?.seq || limit === 0;
	return (rows.length === 0 && !isAtEnd ? [void 0] : rows).map((row, index) => entryFrom(row, seq + 1 + index));
}
/** Trims or removes a log. Its entries are deleted later. */
async function shorten({ thread, heads, recent, bells }, work) {
	await thread.writeLog(work);
	heads.forget(work.log);
	recent.forget(work.log);
	bells.ring(work.log);
}
function headFrom(rows) {
	const row = rows[0]?.[0];
	if (row === void 0) return void 0;
	return {
		epoch: String(row["epoch"]),
		fence: Number(row["fence"]),
		seq: Number(row["seq"]),
		trimmed: Number(row["trimmed"])
	};
}
function madeHead(rows) {
	const head = headFrom(rows);
	if (head !== void 0) return head;
	throw new SqlError("damaged", "The row of a log is missing. Restore the database from a backup.");
}
function positionOf({ epoch, seq }) {
	return {
		epoch,
		seq
	};
}
/** Returns the entry of a row. Throws when the row is damaged or missing, so that no reader gets a wrong entry or a gap. */
function entryFrom(row, seq) {
	const runId = row?.["run_id"];
	const messageId = row?.["message_id"];
	const chunk = parseJson(String(row?.["chunk"]));
	const at = row?.["at"];
	if (row?.["seq"] !== seq || !isIntact(row) || typeof at !== "number" || !isRunId(runId) || !isMessageId(messageId) || !isChunk(chunk)) throw new SqlError("damaged", `Entry ${seq} of the log is damaged. Restore the database from a backup.`);
	return {
		seq,
		at,
		runId,
		messageId,
		chunk
	};
}
// packages/store/src/store-health.ts
var maxAgeMs = 1e3;
/**
* Watches a database. Returns a function that returns its health, which may be up to a second old, and never rejects. A
* job that fails because of the disk is remembered. From then on, each look at the health tries to write, until that
* works. While nothing has failed, a look writes nothing.
*/
function watchHealth(database, { folder, files, now = () => performance.now() }) {
	let failure;
	let last;
	database.onFailure((error) => {
		if (!isOfDisk(error)) return;
		if (failure === void 0) last = void 0;
		failure = error;
	});
	async function look() {
		try {
			await database.read([readNothing]);
			const lost = await files.firstLost();
			if (lost !== void 0) return gone(lost);
			if (failure !== void 0) await database.write(writeProbe);
			failure = void 0;
			return { status: "ok" };
		} catch (error) {
			return failed(folder, error);
		}
	}
	return async () => {
		try {
			database.assertOpen();
		} catch (error) {
			return failed(folder, error);
		}
		if (last === void 0 || now() - last.at >= maxAgeMs) last = {
			at: now(),
			health: look()
		};
		return last.health;
	};
}
var readNothing = {
	sql: "select 1",
	sets: [[]]
};
var writeProbe = [
	"create table write_probe (bytes blob)",
	"insert into write_probe values (zeroblob(65536))",
	"drop table write_probe"
].map((sql) => ({
	sql,
	sets: [[]]
}));
function isOfDisk(error) {
	return error instanceof SqlError && (error.code === "full" || error.code === "unwritable");
}
function failed(folder, error) {
	const reason = error instanceof Error ? error.message : String(error);
	if (!isOfDisk(error)) return {
		status: "closed",
		problem: `The database in ${folder} does not respond (${reason}). Restart the server.`
	};
	return error.code === "full" ? {
		status: "full",
		problem: `The disk of ${folder} is full (${reason}). Make room.`
	} : {
		status: "unwritable",
		problem: `The data folder ${folder} cannot be written (${reason}). Make it writable.`
	};
}
function gone(path) {
	return {
		status: "gone",
		problem: `${path} was deleted, moved or replaced while the server runs. What is written now is lost. Stop the server, put the data folder back, and start again.`
	};
}
// packages/store/src/store-sizes.ts
/** Returns the sizes of a database that is open. Cheap: no rows are read. */
async function readSizes(sql, path) {
	const [rows = []] = await sql.read([{
		sql: freeSql,
		sets: [[]]
	}]);
	return {
		...await fileSizes(path),
		freeBytes: Number(rows[0]?.["bytes"])
	};
}
async function fileSizes(path) {
	const [databaseBytes, walBytes] = await Promise.all([path, `${path}-wal`].map(sizeOf));
	return {
		databaseBytes: databaseBytes ?? 0,
		walBytes: walBytes ?? 0
	};
}
/** Returns the size of a file; 0 when there is none. */
async function sizeOf(path) {
	try {
		return (await stat(path)).size;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
		throw error;
	}
}
var freeSql = "select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size";
// packages/store/src/watched-files.ts
/**
* Remembers which files stand at these paths now. A process that has a file open goes on writing to it after its path
* is gone, and notices nothing: what it writes then is lost when it ends.
*/
async function watchFiles(paths) {
	const known = await Promise.all(paths.map(async (path) => ({
		path,
		identity: await identityOf(path)
	})));
	return { async firstLost() {
		for (const { path, identity } of known) if (await identityOf(path) !== identity) return path;
	} };
}
/** Returns what tells a file from every other file on this machine; `undefined` when the path leads to none. */
async function identityOf(path) {
	const found = await stat(path, { bigint: true }).catch(() => void 0);
	return found && `${found.dev}:${found.ino}`;
}
// packages/store/src/open-store.ts
/**
* Opens the store in a folder. Creates the folder and the database if they do not exist. Other users of the machine cannot
* read them; `report` is called with what they may still read. Throws an `SqlError`: `in-use` when another process has the
* database open, `newer-schema` when a newer version of Throughline has changed it so that this one cannot use it. `report` is
* also called when a newer version has only added to it.
*/
async function openStore(folder, { report = () => void 0, fileBytes, clock, ...options } = {}) {
	await openPrivateFolder(folder, databaseName, { report });
	const thread = await openSqlite(join(folder, databaseName), options);
	await reportNewer(thread, report);
	return createStore(thread, folder, {
		report,
		fileBytes,
		clock
	});
}
async function reportNewer(thread, report) {
	const [rows] = await thread.read([{
		sql: "select max(version) as version from migrations",
		sets: [[]]
	}]);
	const version = Number(rows?.[0]?.["version"]);
	if (version > migrations.length) report(`The database has schema version ${version}, this program knows ${migrations.length}. It can use the tables. Update it to have what is new.`);
}
/** Makes the store of a folder from its database, which is open. */
async function createStore(thread, folder, { report, fileBytes, clock }) {
	const path = join(folder, databaseName);
	const health = watchHealth(thread, {
		folder,
		files: await watchFiles([path, `${path}-wal`])
	});
	return assembleStore(sqliteDatabase(thread, clock), {
		log: createSqliteLogStore(thread),
		signals: createSignals(),
		fileBytes: fileBytesOf(folder, fileBytes && reportFailures(fileBytes, report)),
		report,
		health,
		sizes: () => readSizes(thread, path),
		facts: async () => sqliteFacts(),
		backup: oneAtATime((target) => writeBackup({
			folder,
			copyDatabase: (to) => thread.backup(to)
		}, target)),
		close: () => thread.close()
	});
}
/** Returns where the bytes of files are: in the folder `files`, or elsewhere and in the folder those that came earlier. */
function fileBytesOf(folder, elsewhere) {
	const inFolder = folderBytes(join(folder, "files"));
	return elsewhere === void 0 ? inFolder : withEarlierBytes(elsewhere, inFolder);
}
/** Refuses a backup while another one is under way: each of them holds up the jobs of the database a little. */
function oneAtATime(backUp) {
	let isUnderWay = false;
	return async (target) => {
		if (isUnderWay) throw new BackupError("busy", "Another backup is under way. Try again when it has ended.");
		isUnderWay = true;
		try {
			return await backUp(target);
		} finally {
			isUnderWay = false;
		}
	};
}
export { createStore, fileBytesOf, openStore };
