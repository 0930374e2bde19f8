# In: grader/virtual-hopper/rules.c. Out: a Markdown page with every rule, its meaning and its remedy, and a link to its page where
# there is one. The idea: the table that the grader prints from is the table that is printed here.
BEGIN {
  print "# The rules\n\nEvery fault that the virtual Hopper reports breaks one of these rules. In the terminal, `make explain RULE=proxy-fence` shows a rule's page."
  print "A line in a report names the rule, the place of the access that broke it, what it collided with, and how to mend it.\n"
}
/^static const struct rule rules/ { inside = 1; next }
/^};/ { inside = 0 }
inside && /^ *\/\/ / { title = $0; sub(/^ *\/\/ /, "", title); print "\n## " toupper(substr(title, 1, 1)) substr(title, 2) "\n"; next }
inside { text = text $0; if (text !~ /\},$/) next
  split(text, part, /"/); name = part[2]; what = part[4]; remedy = part[6]; text = ""
  file = "docs/rules/" name ".md"
  there = (getline line < file) > 0; close(file)
  printf "### %s {#%s}\n\n%s%s.\n\n*To mend it:* %s%s\n\n", name, name, toupper(substr(what, 1, 1)), substr(what, 2), code(remedy), there ? " [More about it](../../docs/rules/" name ".md)." : ""
  count++
}
function code(s) { gsub(/[A-Za-z_]+[_a-z0-9]*(<[0-9]>)?\([^()]*\)/, "`&`", s); return s }
END { if (count < 10) { print "rules.awk: only " count + 0 " rules found in rules.c" > "/dev/stderr"; exit 1 } }
