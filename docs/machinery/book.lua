-- Pandoc filter for the book. In: an empty document with metadata `work`. Out: all pages in order, a part's
-- title before its first page; identifiers carry their page's name, so that links between pages become links
-- within the book. With metadata `parts`, "Guide|Labs", say, only these are in it, and links to other pages
-- become plain words.
package.path = "docs/machinery/?.lua;" .. package.path
local kit = require("kit")

local function read(source)
  local file = io.open(source)
  local text = file:read("a")
  file:close()
  return pandoc.read(text, "markdown+autolink_bare_uris")
end

-- In the narrow columns of a printed table a long name may break behind an underscore: a space without width
-- stands there.
local function breakable(code)
  if #code.text < 16 then return nil end
  code.text = code.text:gsub("(%w_)(%w)", "%1\u{200B}%2")
  return code
end

function Pandoc(document)
  local work = pandoc.utils.stringify(document.meta.work)
  local pages, by_source = kit.contents(work .. "/contents")
  local parts = document.meta.parts and "|" .. pandoc.utils.stringify(document.meta.parts) .. "|"
  local function inside(page) return not parts or parts:find("|" .. page.part .. "|", 1, true) end
  local function book_anchor(page, anchor)
    return inside(page) and "#" .. page.name .. (anchor ~= "" and "--" .. anchor or "") or nil
  end
  local out, part = pandoc.List(), nil
  for _, page in ipairs(pages) do
    if not inside(page) then goto next_page end
    if page.part ~= part then
      part = page.part
      out:insert(pandoc.Header(1, pandoc.Str(part), pandoc.Attr("", { "part" })))
    end
    local blocks = kit.as_page(read(page.source).blocks, page)
    blocks = kit.resolve(blocks, page.source, by_source, book_anchor)
    local titled = false
    local function rename(element)
      if element.identifier ~= "" then element.identifier = page.name .. "--" .. element.identifier end
      return element
    end
    blocks = pandoc.Pandoc(blocks):walk({
      Header = function(header)
        if header.level == 1 and not titled then
          titled = true
          header.identifier = page.name
        else
          header = rename(header)
        end
        header.level = header.level + 1
        return header
      end,
      Div = rename, Span = rename, CodeBlock = rename,
      Table = function(table) return rename(table):walk({ Code = breakable }) end,
    }).blocks
    if not titled then blocks:insert(1, pandoc.Header(2, pandoc.Str(page.title), pandoc.Attr(page.name))) end
    out:extend(blocks)
    ::next_page::
  end
  document.blocks = out
  local holds = parts and "For students: the guide and the labs"
    or "Guide, labs, reference, rules, instructor's manual"
  document.meta = { pagetitle = "TMA Lab Kit", lang = "en", holds = holds }
  return document
end
