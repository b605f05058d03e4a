import { migrations } from "./migrations.mjs";
import { crc32 } from "node:zlib";
import { DatabaseSync } from "node:sqlite";
// packages/store/src/sql.ts
/** Thrown when a statement fails. */
var SqlError = class extends Error {
	name = "SqlError";
	/**
	* - `constraint`: a unique key or a check forbids it.
	* - `full`: the disk has no room. `unwritable`: the disk or the file cannot be written. Later it may work again.
	* - `unreachable`: the database server does not respond. Nothing was changed. Later it may work again.
	* - `unconfirmed`: the connection to the database server was lost before it confirmed a write. Nobody knows whether
	*   the write took effect. Repeat it, or read what is there: see `confirmed` and `succeeds`.
	* - `damaged`: what is stored cannot be read. Trying again does not help.
	* - `failed`: the database failed for another reason.
	*/
	code;
	constructor(code, message) {
		super(message);
		this.code = code;
	}
};
// packages/store/src/sqlite/entry-lines.ts
/**
* Writes entries as one text, one line each: a checksum, the run, the message and the chunk. Ids have no spaces, and JSON
* has no line breaks. So an append is one row, whatever it holds.
*/
function encodeEntries(drafts, { first, at }) {
	return drafts.map(({ runId, messageId, json }, index) => {
		return `${checksum({
			seq: first + index,
			at,
			run_id: runId,
			message_id: messageId,
			chunk: json
		})} ${runId} ${messageId} ${json}`;
	}).join("\n");
}
/** Returns the entries of such a text as rows of the table `log_entries`. */
function decodeEntries(body, { first, at }) {
	return body.split("\n").map((line, index) => {
		const crcEnd = line.indexOf(" ");
		const runEnd = line.indexOf(" ", crcEnd + 1);
		const messageEnd = line.indexOf(" ", runEnd + 1);
		return {
			seq: first + index,
			at,
			run_id: line.slice(crcEnd + 1, runEnd),
			message_id: line.slice(runEnd + 1, messageEnd),
			chunk: line.slice(messageEnd + 1),
			crc: Number(line.slice(0, crcEnd))
		};
	});
}
/**
* Returns whether an entry has the bytes that were written. SQLite does not check its pages, so a bit that the disk has
* changed would otherwise be shown. Entries of earlier versions have no checksum.
*/
function isIntact(row) {
	const { crc } = row;
	return crc === null || crc === void 0 || crc === checksum(row);
}
function checksum({ seq, at, run_id, message_id, chunk }) {
	return crc32(`${seq} ${at} ${run_id} ${message_id} ${chunk}`);
}
// packages/store/src/sqlite/describe-error.ts
/** Turns an error into a value that can be sent to another thread. The message is for the log, not for users. */
function describeError(error) {
	if (error instanceof SqlError) return {
		code: error.code,
		message: error.message
	};
	const message = error instanceof Error ? error.message : String(error);
	const errcode = typeof error === "object" && error !== null && "errcode" in error ? Number(error.errcode) : 0;
	return {
		code: codes.get(errcode & 255) ?? "failed",
		message
	};
}
var codes = /* @__PURE__ */ new Map([
	[5, "in-use"],
	[8, "unwritable"],
	[10, "unwritable"],
	[14, "unwritable"],
	[11, "damaged"],
	[26, "damaged"],
	[13, "full"],
	[19, "constraint"]
]);
// packages/store/src/sqlite/open-database.ts
/**
* Opens the database file and migrates it. Locks it for this process, and makes commits survive a power loss.
*
* Throws an `SqlError` whose message names the path and says what to do: `in-use` when another process has it open,
* `newer-schema` when a newer program has changed it so that this one cannot use it, `damaged` when it is no sound database, `full` when the disk has no
* room, `unwritable` when this user may not write it.
*/
function openDatabase(path) {
	return openWith(path, prepareDatabase);
}
function openWith(path, prepare) {
	assertSound(process.versions.sqlite);
	try {
		const database = new DatabaseSync(path, { timeout: 1e3 });
		try {
			prepare(database);
			return database;
		} catch (error) {
			database.close();
			throw error;
		}
	} catch (error) {
		const { code, message } = describeError(error);
		throw new SqlError(code, failureOf(path, code, message));
	}
}
function prepareDatabase(database) {
	if (lockDatabase(database) === 0) database.exec("pragma auto_vacuum = incremental");
	database.exec("pragma journal_mode = wal");
	database.exec("pragma synchronous = full");
	database.exec("pragma foreign_keys = on");
	migrate(database);
}
/** Keeps other processes out from the first read on, which is here. Returns how many pages the file has. */
function lockDatabase(database) {
	database.exec("pragma locking_mode = exclusive");
	return Number(database.prepare("pragma page_count").get()?.["page_count"]);
}
/** Returns what is wrong with a database file that cannot be opened, and what to do. */
function failureOf(path, code, reason) {
	switch (code) {
		case "in-use": return `The database ${path} is in use by another process. Stop that one, or set THROUGHLINE_DATA to another folder.`;
		case "damaged": return `The database ${path} cannot be opened: ${reason}. Restore it from a backup, or use another folder.`;
		case "full": return `The database ${path} cannot be opened, because its disk is full. Make room, or use a folder on another disk.`;
		case "unwritable": return `The database ${path} cannot be written: ${reason}. Give this user the right to write there, or use another folder.`;
		case "newer-schema": return reason;
		default: return `The database ${path} cannot be opened: ${reason}.`;
	}
}
/** Throws for versions of SQLite that can corrupt a database in WAL mode. */
function assertSound(version = "0") {
	const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
	if (major * 1e6 + minor * 1e3 + patch >= 3051003) return;
	throw new SqlError("failed", `This Node has SQLite ${version}; 3.51.3 or newer is needed. Use Node 24.15 or newer.`);
}
/**
* Applies the migrations that are missing, all in one transaction. A newer program may have migrated further. Then this one can
* go on, unless one of those migrations says that older programs cannot, as on Postgres.
*/
function migrate(database) {
	database.exec("begin immediate");
	database.exec(createTable);
	const { version: applied, breaking } = appliedTo(database);
	if (breaking > migrations.length) throw new SqlError("newer-schema", `The database has schema version ${breaking}, which programs that know only ${migrations.length} cannot use. Use the newer program that made it.`);
	for (const [index, { name, statements, breaks }] of migrations.entries()) {
		const version = index + 1;
		if (version <= applied) continue;
		for (const statement of statements) database.exec(statement);
		database.prepare("insert into migrations (version, name, applied_at, breaks) values (?, ?, ?, ?)").run(version, name, (/* @__PURE__ */ new Date()).toISOString(), breaks === true ? 1 : 0);
	}
	database.exec("commit");
}
var createTable = `create table if not exists migrations (
  version bigint primary key, name text not null, applied_at text not null, breaks bigint not null default 0)`;
function appliedTo(database) {
	const number = (sql) => Number(database.prepare(sql).get()?.["number"]);
	const version = number("select coalesce(max(version), 0) as number from migrations");
	if (number("select count(*) as number from pragma_table_info('migrations') where name = 'breaks'") === 0) {
		database.exec("alter table migrations add column breaks bigint not null default 0");
		return {
			version,
			breaking: version
		};
	}
	return {
		version,
		breaking: number("select coalesce(max(version), 0) as number from migrations where breaks = 1")
	};
}
export { isIntact as a, encodeEntries as i, describeError as n, SqlError as o, decodeEntries as r, openDatabase as t };
